import { invalidField } from '../errors.ts';
import { parseMicros } from '../ledger/money.ts';
import { type LimitChanges, type Meter, meters, wordOf } from '../limits/limit.ts';

/** `10`, `0.05`. @throws AppError `invalid_request` */
export function readAmount(pointer: string, text: string): bigint {
  const micros = parseMicros(text);
  if (micros !== undefined) return micros;
  throw invalidField(
    pointer,
    `"${text}" is not an amount. Write it like 10 or 0.05, with at most six decimals.`,
  );
}

/** Decimal amounts, and numbers of jobs, bytes and requests; null for none, `default` for that of the installation. */
export interface LimitsJson {
  spend_hour?: string | null;
  spend_day?: string | null;
  spend_month?: string | null;
  spend_total?: string | null;
  open?: number | 'default' | null;
  waiting?: number | 'default' | null;
  running?: number | 'default' | null;
  input_bytes_day?: number | 'default' | null;
  requests_second?: number | 'default' | null;
  requests_minute?: number | 'default' | null;
}

/** @param pointer where the limits stand in the body @throws AppError `invalid_request` */
export function readLimitChanges(limits: LimitsJson, pointer = ''): LimitChanges {
  const changes: { -readonly [Of in Meter]?: LimitChanges[Of] } = {};
  for (const meter of meters) {
    const word = wordOf[meter];
    const most = limits[word];
    if (most === null || most === 'default') changes[meter] = most;
    else if (most !== undefined) changes[meter] = readMost(`${pointer}/${word}`, most);
  }
  return changes;
}

function readMost(pointer: string, most: string | number): bigint {
  if (typeof most === 'string') return readAmount(pointer, most);
  if (Number.isSafeInteger(most) && most > 0) return BigInt(most);
  throw invalidField(pointer, 'must be a whole number above zero.');
}
