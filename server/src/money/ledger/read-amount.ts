import { invalidField } from '../../errors.ts';
import { parseMicros } from './money.ts';

/** Reads an amount such as `10` or `0.05`. @throws AppError `invalid_request` */
export function readAmount(pointer: string, text: string): bigint {
  const micros = parseMicros(text);
  if (micros !== undefined) return micros;
  throw invalidField(
    pointer,
    `"${text}" is not an amount. Write it like 10 or 0.05, with at most six decimals.`,
  );
}
