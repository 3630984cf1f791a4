import type { EntryKind, Job, JobStatus } from '../types.ts';

/** Amounts are decimal strings, times ISO 8601. */
export interface Account {
  account_id: string;
  name: string;
  balance: string;
  /** Held for jobs that are not finished. */
  reserved: string;
  available: string;
  created_at: string;
  /** Since when its keys are refused. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** When it began to be erased: never again is it enabled, credited or used. */
  erased_at: string | null;
  members: number;
  /** Those that are not disabled. */
  keys: number;
}

/** An account after a credit or debit. */
export interface MovedAccount extends Account {
  /** Of the entry that was written, or that was there already. */
  entry_id: string | null;
  /** The reference was known, and nothing was changed. */
  replayed: boolean;
}

export interface NewAccount {
  name: string;
  /** The first credit. */
  credit?: string;
  /** Where its events go. */
  webhook?: string;
}

export interface PageQuery {
  cursor?: string;
  /** 1 to 100. */
  limit?: number;
}

export interface AccountQuery extends PageQuery {
  /** A part of the name, or an id. */
  search?: string;
}

export interface CreditRequest {
  amount: string;
  /** What others call the payment: it is credited once. */
  reference?: string;
  /** For whoever reads the ledger; needed where there is no reference. */
  reason?: string;
}

export interface DebitRequest extends CreditRequest {
  reason: string;
  /** The `entry_id` of the credit that it takes back, or a part of it. */
  corrects?: string;
}

/** Null for no limit, `default` for that of the installation. */
export interface LimitChanges {
  spend_hour?: string | null;
  spend_day?: string | null;
  spend_month?: string | null;
  spend_total?: string | null;
  /** Jobs that wait or run. */
  open?: number | 'default' | null;
  waiting?: number | 'default' | null;
  running?: number | 'default' | null;
  input_bytes_day?: number | 'default' | null;
  requests_second?: number | 'default' | null;
  requests_minute?: number | 'default' | null;
}

export interface LimitInfo {
  limit: keyof LimitChanges;
  unit: 'money' | 'jobs' | 'bytes' | 'requests';
  /** The time in which it counts; null: at once, or in all. */
  per: 'second' | 'minute' | 'hour' | 'day' | 'month' | null;
  /** Null: a default was lifted. */
  most: string | number | null;
  is_lifted: boolean;
  is_default: boolean;
  /** Null for requests. */
  used: string | number | null;
  resets_at: string | null;
}

/** When an account is told of its balance and of its limits; `null`: never. */
export interface Alerts {
  /** A balance, below which it is told. */
  balance_low: string | null;
  /** The share of a spend limit from which it is told, 1 to 100. */
  spend_near_percent: number | null;
  /** Owners and billing are told by e-mail as well. */
  by_email: boolean;
}

/** What is left out stays as it is. */
export type AlertChanges = Partial<Omit<Alerts, 'by_email'>>;

export interface KeyRequest {
  name?: string;
  /** Every model when left out or null; 200 at most. */
  models?: string[] | null;
  /** Seconds; never when left out. */
  expires_in?: number;
  limits?: LimitChanges;
  /** Addresses and CIDR blocks from which alone it may be used, 100 at most; everywhere when left out or null. */
  networks?: string[] | null;
}

export interface NewApiKey extends KeyInfo {
  /** The whole key, shown only once. */
  key: string;
}

export interface KeyInfo {
  key_id: string;
  account_id: string;
  name: string;
  models: string[] | null;
  /** From where alone it may be used; null: from everywhere. */
  networks: string[] | null;
  /** Enough of the key to recognise it by. */
  hint: string;
  /** `expiring`: it works, and ends within a week. */
  status: 'active' | 'expiring' | 'expired' | 'disabled';
  created_at: string;
  expires_at: string | null;
  disabled_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  last_used_address: string | null;
  /** Prices of its done jobs of the last 30 days. */
  spent_30d: string;
  jobs_30d: number;
}

export interface KeyChange {
  /** From where alone it may be used; null: from everywhere. */
  networks?: string[] | null;
  /** What is not named stays; null removes a limit. */
  limits?: LimitChanges;
}

export interface KeyListQuery extends PageQuery {
  account?: string;
}

/** A month of an account. */
export interface Statement {
  account_id: string;
  account: string;
  month: string;
  from: string;
  to: string;
  currency: string;
  /** The month is over: it does not change any more. */
  closed: boolean;
  opening_balance: string;
  /** What changed the balance, with its sign; `model` of what was captured. */
  lines: { kind: EntryKind; model: string | null; entries: number; amount: string }[];
  closing_balance: string;
  /** SHA-256 of all of the above as JSON. */
  digest: string;
}

export type RetentionPart =
  | 'jobs'
  | 'pictures'
  | 'prompts'
  | 'inputs'
  | 'deliveries'
  | 'idempotency'
  | 'audit';

/** For how long something is kept. */
export interface RetentionInfo {
  part: RetentionPart;
  /** Null: for good. */
  days: number | null;
  /** It is set for the account, and not for the installation. */
  own: boolean;
  /** The fewest days that may be set. */
  least: number;
}

/** Days; null for those of the installation. */
export type RetentionChanges = { readonly [part in RetentionPart]?: number | null };

export interface ErasedAccount {
  account_id: string;
  jobs: number;
  objects: number;
}

export type MemberRole = 'owner' | 'developer' | 'billing' | 'viewer';

export interface Member {
  person_id: string;
  name: string;
  email: string | null;
  email_confirmed: boolean;
  role: MemberRole;
  created_at: string;
}

export interface InvitationInfo {
  invitation_id: string;
  note: string | null;
  made_by: string | null;
  created_at: string;
  expires_at: string;
}

export interface InvitationMade {
  /** Opens the panel once, and is shown once. */
  url: string;
  expires_at: string;
}

export interface ReplayRequest {
  /** Only to this endpoint. */
  endpoint_id?: string;
  /** Only events since then. */
  from?: string;
  /** Only this event, delivered or not. */
  event_id?: string;
  /** Also what was delivered before. */
  delivered?: boolean;
  /** Only what was tried, and not events from before an endpoint was there. */
  tried?: boolean;
  /** Instead, what waits for its next attempt, now; with `endpoint_id` or alone. */
  pending?: boolean;
}

export interface AccountJob extends Job {
  account_id: string;
}

export interface AdminJobQuery extends PageQuery {
  account?: string;
  status?: JobStatus;
  model?: string;
  key_id?: string;
  from?: string;
  to?: string;
}
