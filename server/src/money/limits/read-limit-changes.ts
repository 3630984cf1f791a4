import { readAmount } from '../ledger/read-amount.ts';
import { type LimitChanges, type Meter, meters, wordOf } from './limit.ts';

/** Decimal amounts, or numbers of jobs, bytes or requests. Null means no limit, `default` the installation's limit. */
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
    else if (typeof most === 'string') changes[meter] = readAmount(`${pointer}/${word}`, most);
    // The schema allows only whole numbers above zero.
    else if (most !== undefined) changes[meter] = BigInt(most);
  }
  return changes;
}
