import type { Refusal } from '../../accounts/payments/payment-provider.ts';
import type { LockedAccount } from '../../money/ledger/ledger-store.ts';

export interface Alerts {
  balanceMicros: bigint | null;
  /** The percentage of a spend limit of the account or a key of it, at which an alert is sent; null for never. */
  spendPercent: number | null;
}

export interface LowBalance {
  account_id: string;
  account_name: string;
  threshold: string;
  balance: string;
}

export interface SpentLimit {
  account_id: string;
  account_name: string;
  of: 'account' | 'key';
  key_id: string | null;
  limit: string;
  used: string;
  most: string;
  /** Null if the limit never resets. */
  resets_at: string | null;
}

export interface NearLimit extends SpentLimit {
  percent: number;
}

export interface ExpiringKey {
  account_id: string;
  account_name: string;
  key_id: string;
  name: string;
  hint: string;
  expires_at: string;
  last_used_at: string | null;
  /** The number of further keys in the same email. */
  other_keys: number;
  other_names: string[];
}

export interface ReceivedPayment {
  account_id: string;
  account_name: string;
  payment_id: string;
  amount: string;
  reference: string;
  /** The part of the amount that paid a debt. */
  debt_paid: string;
  balance: string;
  /** The provider's receipt or invoice, if it created one. */
  receipt_url: string | null;
}

export interface StoppedTopUp {
  account_id: string;
  account_name: string;
  reason: Refusal;
  /** The card, such as `visa 4242`; null if there is none. */
  card: string | null;
}

/** Whether the change takes the balance from at least its alert threshold to below it. Pure. */
export function fallsBelow({ alerts, balanceMicros }: LockedAccount, change: bigint): boolean {
  const threshold = alerts.balanceMicros;
  return threshold !== null && balanceMicros >= threshold && balanceMicros + change < threshold;
}

export function isNear(percent: number, { used, most }: { used: bigint; most: bigint }): boolean {
  return used > 0n && used * 100n >= most * BigInt(percent);
}
