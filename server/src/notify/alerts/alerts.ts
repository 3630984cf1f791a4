import type { Refusal } from '../../accounts/payments/payment-provider.ts';
import type { LockedAccount } from '../../money/ledger/ledger-store.ts';

/** The thresholds at which an account is alerted; null: never. */
export interface Alerts {
  /** Once its balance falls below. */
  balanceMicros: bigint | null;
  /** The share of a spend limit, of the account or of one of its keys, at which an alert is sent. */
  spendPercent: number | null;
}

/** The payload when a balance fell below its threshold. */
export interface LowBalance {
  account_id: string;
  account_name: string;
  threshold: string;
  balance: string;
}

/** The payload when a spend limit stops jobs. */
export interface SpentLimit {
  account_id: string;
  account_name: string;
  /** The holder of the limit. */
  of: 'account' | 'key';
  /** Null where it is the account's. */
  key_id: string | null;
  limit: string;
  used: string;
  most: string;
  /** Null where it never does. */
  resets_at: string | null;
}

/** The payload when a share of a spend limit is used. */
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
  /** The number of further keys of the account in the same email. */
  other_keys: number;
  /** The names of the first ones. */
  other_names: string[];
}

/** The payload when a payment was credited. */
export interface ReceivedPayment {
  account_id: string;
  account_name: string;
  payment_id: string;
  amount: string;
  /** The provider's id of the payment. */
  reference: string;
  /** The part of the amount that paid a debt. */
  debt_paid: string;
  /** The balance after the payment. */
  balance: string;
  /** The provider's receipt or invoice, where it made one. */
  receipt_url: string | null;
}

/** A card that is no longer charged. */
export interface StoppedTopUp {
  account_id: string;
  account_name: string;
  reason: Refusal;
  /** Such as `visa 4242`; null if there is no card. */
  card: string | null;
}

/** Whether the change takes the balance from its threshold or above to below it. Pure. */
export function fallsBelow({ alerts, balanceMicros }: LockedAccount, change: bigint): boolean {
  const threshold = alerts.balanceMicros;
  return threshold !== null && balanceMicros >= threshold && balanceMicros + change < threshold;
}

/** Whether so much is used that the account should be warned. Pure. */
export function isNear(percent: number, { used, most }: { used: bigint; most: bigint }): boolean {
  return used > 0n && used * 100n >= most * BigInt(percent);
}
