import type { Job, JobStatus } from './types.ts';

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
}

/** An account after a credit or debit. */
export interface MovedAccount extends Account {
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

interface PageQuery {
  cursor?: string;
  /** 1 to 100. */
  limit?: number;
}

export interface AccountQuery extends PageQuery {
  /** A part of the name. */
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
  corrects?: number;
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
  most: string | number | null;
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
}

export interface KeyRequest {
  name?: string;
  /** Every model when left out. */
  models?: string[];
  /** Seconds; never when left out. */
  expires_in?: number;
  limits?: LimitChanges;
  /** Addresses and CIDR blocks from which alone it may be used. */
  networks?: string[];
}

export interface NewApiKey {
  /** Shown once. */
  key: string;
  key_id: string;
  account_id: string;
  models: string[] | null;
}

export interface KeyInfo {
  key_id: string;
  account_id: string;
  name: string;
  models: string[] | null;
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  disabled_at: string | null;
}

export interface KeyListQuery extends PageQuery {
  account?: string;
}

export interface AccountJob extends Job {
  account_id: string;
  key_id: string;
}

export interface AdminJobQuery extends PageQuery {
  account?: string;
  status?: JobStatus;
  model?: string;
  key_id?: string;
  since?: string;
  until?: string;
}

/** With all other fields of the configuration file. */
export interface ModelDefinition {
  id: string;
}

export interface ModelChangesRequest {
  models: unknown;
  /** Otherwise nothing is changed. */
  apply?: boolean;
}

export interface AppliedModels {
  applied: boolean;
  differences: { model: string; action: 'add' | 'change'; changes: Record<string, string> }[];
}

export interface InstalledModel {
  id: string;
  version: number;
  name: string;
  modes: readonly string[];
  prices: Record<string, string>;
  parameters: string[];
  source: string;
  /** Null: those that the environment implies. */
  routes: number | null;
}

export interface ModelVersion {
  version: number;
  at: string;
  by: string;
  source: string;
  removed: boolean;
  changes: Record<string, string>;
}

interface Margin {
  images: number;
  paid: string;
  cost: string | null;
  margin: string | null;
  without_cost: number;
}

export interface ModelMargins extends Margin {
  model: string;
  days: (Margin & { day: string })[];
}

export interface ConnectionRequest {
  provider: string;
  base_url?: string;
  /** Stored sealed, and never shown again. */
  key?: string;
}

export interface ConnectionInfo {
  name: string;
  provider: string;
  base_url: string | null;
  has_key: boolean;
  source: 'file' | 'operator';
  changed_at: string | null;
}

export type ConnectionCheck =
  | { ok: true; models: readonly { id: string }[] }
  | { ok: false; problem: string; detail: string };

interface RouteState {
  model: string;
  provider: string;
  slots: number;
  running: number;
  state: string;
  until: string | null;
  reason: string | null;
}

export interface RouteReport extends RouteState {
  route: string;
  upstream_model: string | null;
  timeout_seconds: number;
  per_minute: number | null;
  weight: number | null;
  cost_estimate: string | Readonly<Record<string, string>> | null;
  detail: string | null;
  done: number;
  failed: number;
  failures: number;
  p50_seconds: number | null;
  p95_seconds: number | null;
  cost_per_image: string | null;
  last_error: string | null;
  check?: { ok: boolean; detail?: string };
}

export interface RouteOverview {
  routes: RouteReport[];
  /** What clients may ask for and no route makes. */
  uncovered: string[];
}

export interface PauseRequest {
  reason?: string;
  /** Seconds; until resumed when left out. */
  for?: number;
}

export interface Pause {
  scope: string;
  reason: string | null;
  until: string | null;
  since: string;
}

export interface InstallationStatus {
  version: string;
  database: string;
  storage: string;
  pauses: Pause[];
  queued: number;
  processing: number;
  /** Waiting for a retry. */
  resting: number;
  oldest_queued_ms: number | null;
  waiting: { model: string; jobs: number; reason: string }[];
  workers: { worker: string; slots: number; jobs: number }[];
  accounts: number;
  routes: (RouteState & { upstream_model: string })[];
}

export interface AuditQuery extends PageQuery {
  account?: string;
  action?: string;
}

export interface AuditEntry {
  audit_id: number;
  at: string;
  by: string;
  address: string | null;
  action: string;
  account_id: string | null;
  subject: string | null;
  detail: Record<string, string | number | boolean | null>;
}
