import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js";
import { invalid } from "./errors.ts";

/**
 * Turns a phone number into E.164, so that one person's number is always written the same way. Only a number without
 * country code needs the agency's country, so it is asked for only then.
 */
export async function toE164(phone: string, agencyCountry: () => Promise<string>): Promise<string> {
  const country = phone.startsWith("+") ? undefined : asCountry(await agencyCountry());
  const parsed = parsePhoneNumberFromString(phone, {
    ...(country ? { defaultCountry: country } : {}),
    extract: false,
  });
  if (parsed?.isValid() !== true) {
    throw invalid("invalid_body", "The body does not fit.", [
      { path: "phone", message: "must be a phone number" },
    ]);
  }
  return parsed.number;
}

function asCountry(country: string): CountryCode | undefined {
  return isSupportedCountry(country) ? country : undefined;
}
