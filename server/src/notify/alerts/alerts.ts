import type { LockedAccount } from '../../money/ledger/ledger-store.ts';

/** When an account wants to be told; null: never. */
export interface Alerts {
  /** Once its balance falls below. */
  balanceMicros: bigint | null;
  /** Once this share of what it, or one of its keys, may spend is spent. */
  spendPercent: number | null;
}

/** What is told when a balance fell below its threshold. */
export interface LowBalance {
  account_id: string;
  account_name: string;
  threshold: string;
  balance: string;
}

/** What is told of a spend limit that stops jobs. */
export interface SpentLimit {
  account_id: string;
  account_name: string;
  /** Whose limit it is. */
  of: 'account' | 'key';
  /** Null where it is the account's. */
  key_id: string | null;
  limit: string;
  used: string;
  most: string;
  /** Null where it never does. */
  resets_at: string | null;
}

/** What is told when a share of one is used. */
export interface NearLimit extends SpentLimit {
  percent: number;
}

/** The fields of an alert about a key that ends soon. */
export interface ExpiringKey {
  account_id: string;
  account_name: string;
  key_id: string;
  name: string;
  hint: string;
  expires_at: string;
  /** Null where it never was. */
  last_used_at: string | null;
  /** How many more keys of the account are told of at the same time. */
  other_keys: number;
  /** Of the first of them. */
  other_names: string[];
}

/** What is told of a payment that was credited. */
export interface ReceivedPayment {
  account_id: string;
  account_name: string;
  payment_id: string;
  amount: string;
  /** What the provider calls it. */
  reference: string;
  /** Of the amount, what paid a debt. */
  debt_paid: string;
  /** After that. */
  balance: string;
  /** The provider's receipt or invoice, where it made one. */
  receipt_url: string | null;
}

/** Whether the change takes the balance from its threshold or above to below it. Pure. */
export function fallsBelow({ alerts, balanceMicros }: LockedAccount, change: bigint): boolean {
  const threshold = alerts.balanceMicros;
  return threshold !== null && balanceMicros >= threshold && balanceMicros + change < threshold;
}

/** Whether so much is used that whoever has the limit should know. Pure. */
export function isNear(percent: number, { used, most }: { used: bigint; most: bigint }): boolean {
  return used > 0n && used * 100n >= most * BigInt(percent);
}
