import type { PageQuery } from './account-types.ts';

/** With all other fields of the configuration file. */
export interface ModelDefinition {
  id: string;
}

export interface ModelChangesRequest {
  models: unknown;
  /** By id, the version that a change was made on: a newer one is `changed_meanwhile`. Null where there must be no such model. */
  if_versions?: Record<string, number | null>;
  /** Otherwise nothing is changed. */
  apply?: boolean;
}

export interface AppliedModels {
  applied: boolean;
  differences: { model: string; action: 'add' | 'change'; changes: Record<string, string> }[];
  /** What clients may ask of these models and no route makes: creates of it are refused. */
  uncovered: string[];
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
  /** Where the configuration file sets it, which is the only place to change that. */
  locked: { file: string; places: string[] } | null;
}

export interface ModelVersion {
  version: number;
  at: string;
  by: string;
  source: string;
  removed: boolean;
  changes: Record<string, string>;
}

/** An older version, and what going back to it would change. */
export interface OlderModel {
  version: number;
  definition: ModelDefinition;
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
  /** Stored sealed, and never shown again; without one, that which is stored stays. */
  key?: string;
  /** Whether there must be one of this name, or none; either when left out. */
  replaces?: boolean;
}

export interface ConnectionInfo {
  name: string;
  provider: string;
  base_url: string | null;
  /** `unreadable`: sealed with a secret that is gone, so it has to be given again. */
  key: 'set' | 'none' | 'unreadable';
  source: 'file' | 'operator';
  /** Where the configuration file sets it, which is the only place to change it. */
  locked: string | null;
  changed_at: string | null;
  changed_by: string | null;
  /** Those that have a route through it. */
  models: string[];
}

export type ConnectionCheck =
  | { ok: true; base_url: string | null; models: readonly { id: string; name?: string | undefined }[] }
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
  /** Of an upstream model that ends within 30 days, or has ended; `on` is the first day without it. */
  upstream_end: { on: string; over: boolean; notice: string } | null;
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
  check?: RouteCheck;
}

export interface RouteCheck {
  ok: boolean;
  detail?: string;
  /** How long the answer took, where it was asked. */
  ms?: number;
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
  processes: { process: string; role: string; version: string; started_at: string }[];
  accounts: number;
  routes: (RouteState & { upstream_model: string })[];
}

/** The process that answers. */
export interface ServerInfo {
  version: string;
  node: string;
  role: string;
  started_at: string;
  memory_bytes: number;
  database: { kind: string; bytes: number; schema_version: number };
  /** The disk is that of the data folder, wherever images are kept. */
  storage: { kind: string; disk_free_bytes: number; disk_bytes: number };
  /** Of the last ten minutes. */
  sign_in_failures: number;
  /** Secrets are `set` or `not set`. */
  settings: { name: string; value: string; source: 'environment' | 'file' | 'default'; about: string }[];
}

export interface Verified {
  ok: boolean;
  /** Everything was read; else as much as fits into 20 seconds. */
  complete: boolean;
  checked: Record<string, number>;
  violations: { invariant: string; detail: string }[];
  /** How long it took. */
  ms: number;
}

export interface AuditQuery extends AuditFilters, PageQuery {}

export interface AuditChoices {
  people: { person_id: string; name: string }[];
  actions: string[];
}

export interface AuditFilters {
  /** Its id, or its name. */
  account?: string;
  person_id?: string;
  action?: string;
  /** An address, or the beginning of one, such as `10.1.`. */
  address?: string;
  /** At or after, before. */
  from?: string;
  to?: string;
}

export interface AuditEntry {
  audit_id: string;
  at: string;
  by: string;
  /** Null for the command line and keys. */
  person: { person_id: string; name: string } | null;
  address: string | null;
  action: string;
  account_id: string | null;
  account: { account_id: string; name: string } | null;
  subject: string | null;
  detail: Record<string, string | number | boolean | null>;
}
