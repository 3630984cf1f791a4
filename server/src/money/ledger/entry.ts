/** Operators make `credit` and `debit`. A job's `reserve` sets money aside, `capture` spends it, `release` frees it. */
export const entryKinds = ['credit', 'debit', 'reserve', 'capture', 'release'] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface EntryOfJob {
  accountId: string;
  kind: 'reserve' | 'capture' | 'release';
  amountMicros: bigint;
  jobId: string;
  /** The job's model. Only captures have it. */
  model?: string;
}

export interface OperatorEntry {
  accountId: string;
  kind: 'credit' | 'debit';
  amountMicros: bigint;
  jobId: null;
  reason: string;
  /** The payment's reference in another system, such as an invoice number; unique within an account. */
  reference?: string | null;
  corrects?: number | null;
}

export type Entry = EntryOfJob | OperatorEntry;

export interface Change {
  balance: bigint;
  reserved: bigint;
}

export function changeOf({ kind, amountMicros }: Pick<Entry, 'kind' | 'amountMicros'>): Change {
  switch (kind) {
    case 'credit':
      return { balance: amountMicros, reserved: 0n };
    case 'debit':
      return { balance: -amountMicros, reserved: 0n };
    case 'reserve':
      return { balance: 0n, reserved: amountMicros };
    case 'capture':
      return { balance: -amountMicros, reserved: -amountMicros };
    case 'release':
      return { balance: 0n, reserved: -amountMicros };
  }
}

export function changesByAccount(entries: readonly Entry[]): Map<string, Change> {
  const sums = new Map<string, Change>();
  for (const entry of entries) {
    const change = changeOf(entry);
    const sum = sums.get(entry.accountId) ?? { balance: 0n, reserved: 0n };
    sums.set(entry.accountId, {
      balance: sum.balance + change.balance,
      reserved: sum.reserved + change.reserved,
    });
  }
  return sums;
}
