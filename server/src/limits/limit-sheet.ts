import { type Limit, type Meter, meters, wordOf } from './limit.ts';
import { presentLimit } from './present-limit.ts';

/** A limit that somebody may have, as JSON. */
export interface SheetRow {
  limit: string;
  unit: 'money' | 'jobs' | 'bytes' | 'requests';
  /** The time in which it counts; null: at once, or in all. */
  per: 'second' | 'minute' | 'hour' | 'day' | 'month' | null;
  /** Null: not limited. */
  most: string | number | null;
  /** It has none, whatever the default of the installation is. */
  is_lifted: boolean;
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
    const is_lifted = limit?.most === null;
    return { ...(limit ? presentLimit(limit, nowMs) : unset), is_lifted, ...counted[meter] };
  });
}
