import {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js";

/** Further on, no phone number is worth looking for. */
const MAX_READ_CHARACTERS = 500;

/**
 * A phone as it is stored: in E.164, so that the same number is always written the same way, or as sent if it cannot be
 * read. The agency's country is only asked for if the number has no country code.
 */
export async function readPhone(
  sent: string,
  agencyCountry: () => Promise<string>,
): Promise<string> {
  if (!/\d/.test(sent.normalize("NFKC"))) return sent;
  // The (0) in "+34 (0) 612 345 678" is for domestic calls.
  const text = sent.slice(0, MAX_READ_CHARACTERS).normalize("NFKC").replaceAll("(0)", " ");
  const saysCountry = /^\D*\+/.test(text);
  const read = (saysCountry && numberIn(text)) || numberIn(text, asCountry(await agencyCountry()));
  return read ?? sent;
}

/** The text as a number, else the first number among other words. */
function numberIn(text: string, defaultCountry?: CountryCode): string | undefined {
  const options = defaultCountry ? { defaultCountry } : {};
  const whole = parsePhoneNumberFromString(text, { ...options, extract: false });
  if (whole?.isValid()) return whole.number;
  const found = findPhoneNumbersInText(text, options);
  return found.find(({ number }) => number.isValid())?.number.number;
}

function asCountry(country: string): CountryCode | undefined {
  return isSupportedCountry(country) ? country : undefined;
}
