import { invalidField } from '../../errors.ts';
import { readAmount } from '../ledger/read-amount.ts';
import { type LimitChanges, type Meter, meters, wordOf } from './limit.ts';

/** Decimal amounts, or numbers of jobs, bytes and requests; null for no limit, `default` for the installation's. */
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

/** @param pointer the place of the limits in the body @throws AppError `invalid_request` */
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
