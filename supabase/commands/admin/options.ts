import { InvalidArgumentError } from "commander";

/** Text that says something. */
export function text(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It is blank.");
  return value;
}

/** An id, as the list verbs print it. */
export function id(value: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
    throw new InvalidArgumentError("It is not an id; the list verbs print ids.");
  return value;
}

/** A positive whole number of up to seven digits. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError("It is not a whole number.");
  return Number(value);
}

/** An amount of money. It stays text, so that the database reads every digit. */
export function amount(value: string): string {
  if (!/^\d{1,10}(\.\d{1,2})?$/.test(value))
    throw new InvalidArgumentError("It is not an amount such as 1100 or 1100.50.");
  return value;
}

/** A moment, for example 2030-01-31T12:00Z. */
export function time(value: string): Date {
  const read = new Date(value);
  if (Number.isNaN(read.getTime()))
    throw new InvalidArgumentError("It is not a time such as 2030-01-31T12:00Z.");
  return read;
}

/** A moment that has not come yet. */
export function futureTime(value: string): Date {
  const read = time(value);
  if (read.getTime() <= Date.now())
    throw new InvalidArgumentError("It must be in the future, for example 2030-01-31T12:00Z.");
  return read;
}
