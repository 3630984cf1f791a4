import { invalidField } from '../errors.ts';
import { parseMicros } from '../ledger/money.ts';
import { type Limit, type LimitChanges, type Meter, meters, wordOf } from './limit.ts';
import { presentLimit } from './present-limit.ts';

/** A limit that somebody may have, as JSON. */
export interface SheetRow {
  limit: string;
  unit: 'money' | 'jobs' | 'bytes' | 'requests';
  /** The time in which it counts; null: at once, or in all. */
  per: 'second' | 'minute' | 'hour' | 'day' | 'month' | null;
  /** Null: not limited. */
  most: string | number | null;
  /** It is the default of the installation. */
  is_default: boolean;
  used: string | number | null;
  resets_at: string | null;
}

const counted: Record<Meter, Pick<SheetRow, 'unit' | 'per'>> = {
  hour: { unit: 'money', per: 'hour' },
  day: { unit: 'money', per: 'day' },
  month: { unit: 'money', per: 'month' },
  total: { unit: 'money', per: null },
  open: { unit: 'jobs', per: null },
  waiting: { unit: 'jobs', per: null },
  running: { unit: 'jobs', per: null },
  input: { unit: 'bytes', per: 'day' },
  second: { unit: 'requests', per: 'second' },
  minute: { unit: 'requests', per: 'minute' },
};

/** Every limit that there may be, set or not. */
export function presentSheet(limits: readonly Limit[], nowMs: number): SheetRow[] {
  return meters.map((meter) => {
    const limit = limits.find((one) => one.meter === meter);
    const unset = { limit: wordOf[meter], most: null, is_default: false, used: null, resets_at: null };
    return { ...(limit ? presentLimit(limit, nowMs) : unset), ...counted[meter] };
  });
}

/** New limits by their names, as people write them; null gives back the default. @throws AppError `invalid_request` */
export function readChanges(asked: Readonly<Record<string, string | null>>): LimitChanges {
  const changes: { -readonly [Of in Meter]?: bigint | 'default' } = {};
  for (const meter of meters) {
    const text = asked[wordOf[meter]];
    if (text !== undefined) changes[meter] = text === null ? 'default' : readMost(meter, text);
  }
  return changes;
}

function readMost(meter: Meter, text: string): bigint {
  const pointer = `/limits/${wordOf[meter]}`;
  if (counted[meter].unit === 'money') {
    const micros = parseMicros(text);
    if (micros !== undefined) return micros;
    throw invalidField(pointer, 'must be an amount such as 10 or 0.50.');
  }
  if (counted[meter].unit === 'bytes') {
    const [, digits, unit = ''] = /^([1-9]\d{0,11}) ?(|kB|MB|GB)$/.exec(text) ?? [];
    if (digits !== undefined) return BigInt(digits) * 1_000n ** BigInt(['', 'kB', 'MB', 'GB'].indexOf(unit));
    throw invalidField(pointer, 'must be a number of bytes such as 500 MB.');
  }
  if (/^[1-9]\d{0,8}$/.test(text)) return BigInt(text);
  throw invalidField(pointer, 'must be a whole number such as 20.');
}
