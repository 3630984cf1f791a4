/** What an entry does to an account: `credit` adds money, `reserve` holds it, `capture` spends it, `release` frees it. */
export const entryKinds = ['credit', 'reserve', 'capture', 'release'] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface Entry {
  accountId: string;
  kind: EntryKind;
  amountMicros: bigint;
  /** The job it belongs to; null for a credit. */
  jobId: string | null;
  /** The reason for a credit. */
  reason?: string;
  /** Of the job, for a capture. */
  model?: string;
}

export interface Change {
  balance: bigint;
  reserved: bigint;
}

export function changeOf({ kind, amountMicros }: Entry): Change {
  switch (kind) {
    case 'credit':
      return { balance: amountMicros, reserved: 0n };
    case 'reserve':
      return { balance: 0n, reserved: amountMicros };
    case 'capture':
      return { balance: -amountMicros, reserved: -amountMicros };
    case 'release':
      return { balance: 0n, reserved: -amountMicros };
  }
}

/** Sums the changes that entries make, by account. */
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
