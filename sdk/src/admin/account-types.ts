import type { Job, JobStatus } from '../types.ts';
import type { Account, JobAttempt } from '../wire.ts';

export type {
  Account,
  AccountChanges,
  AlertChanges,
  Alerts,
  ApiKey as KeyInfo,
  ErasedAccount,
  Invitation as InvitationInfo,
  InvitationMade,
  KeyChange,
  Limit as LimitInfo,
  LimitChanges,
  Member,
  MemberRole,
  NewAccount,
  NewApiKey,
  NewKey as KeyRequest,
  ReplayRequest,
  RetentionChanges,
  RetentionPart,
  RetentionPeriod as RetentionInfo,
  Statement,
} from '../wire.ts';

/** An account after a credit or debit. */
export interface MovedAccount extends Account {
  /** The id of the new or existing entry; null if an idempotency key repeats a credit without a reference. */
  entry_id: string | null;
  /** True if the reference was already known, so nothing changed. */
  replayed: boolean;
}

export interface PageQuery {
  cursor?: string;
  /** 1 to 100. */
  limit?: number;
}

export interface AccountQuery extends PageQuery {
  /** A part of the name, or an id. */
  q?: string;
  /** True to list only accounts that are in debt. */
  owing?: boolean;
}

export interface CreditRequest {
  amount: string;
  /** The payment's reference in another system. Each reference is credited only once. */
  reference?: string;
  /** The reason, for readers of the ledger; required without a reference. */
  reason?: string;
}

export interface DebitRequest extends CreditRequest {
  reason: string;
  /** The `entry_id` of the credit that this debit corrects, wholly or in part. */
  corrects?: string;
}

export interface KeyListQuery extends PageQuery {
  account?: string;
}

export interface AccountJob extends Job {
  account_id: string;
}

export interface AccountJobWithAttempts extends AccountJob {
  attempts: JobAttempt[];
}

export interface AdminJobQuery extends PageQuery {
  account?: string;
  status?: JobStatus;
  model?: string;
  key_id?: string;
  from?: string;
  to?: string;
}
