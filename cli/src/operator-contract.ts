import type { ModelId } from '@darkroom/sdk';
import type { WebhookOperator } from './webhook-contract.ts';

/** What operator verbs need of the server. Names are those of the JSON; times are ISO 8601, amounts decimal strings. */
export interface Operator extends AsyncDisposable, WebhookOperator {
  createAccount(account: {
    name: string;
    creditMicros?: bigint;
    webhookUrl?: string;
  }): Promise<AccountBalance>;
  listAccounts(): Promise<AccountInfo[]>;
  /** `account` is an id or a name. */
  creditAccount(credit: { account: string; amountMicros: bigint; reason: string }): Promise<AccountBalance>;
  createKey(key: {
    account: string;
    name?: string;
    models?: ModelId[];
    expiresInMs?: number;
  }): Promise<NewKey>;
  listKeys(filter: { account?: string }): Promise<KeyInfo[]>;
  disableKey(keyId: string): Promise<unknown>;
  pause(pause: { scope: PauseScope; reason?: string; forMs?: number }): Promise<unknown>;
  resume(pause: { scope: PauseScope }): Promise<unknown>;
  status(): Promise<ServerStatus>;
  routes(options: { check?: boolean }): Promise<{ routes: RouteReport[]; uncovered: string[] }>;
  verify(): Promise<Verification>;
  backup(file: string): Promise<{ file: string; bytes: number }>;
  /** Opens the panel once, as the first operator or as whoever has this e-mail. */
  panelLink(person: { email?: string }): Promise<{ url: string; expires_at: string }>;
  /** `10`, `0.05`; throws what the other methods throw. */
  parseAmount(text: string): bigint;
}

export type PauseScope = 'project' | ModelId;

export interface AccountBalance {
  account_id: string;
  name: string;
  balance: string;
}

export interface AccountInfo extends AccountBalance {
  reserved: string;
  available: string;
  created_at: string;
}

export interface NewKey {
  /** Can be read this once. */
  key: string;
  key_id: string;
  account_id: string;
  /** `null`: every model. */
  models: ModelId[] | null;
}

export interface KeyInfo {
  key_id: string;
  account_id: string;
  name: string;
  models: ModelId[] | null;
  /** Enough of the key to recognise it. */
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  disabled_at: string | null;
}

export interface ServerStatus {
  version: string;
  database: string;
  storage: string;
  pauses: { scope: PauseScope; reason: string | null; until: string | null }[];
  queued: number;
  processing: number;
  oldest_queued_ms: number | null;
  accounts: number;
  routes: { model: ModelId; provider: string; upstream_model: string; slots: number }[];
}

export interface RouteReport {
  route: string;
  model: string;
  provider: string;
  upstream_model: string | null;
  slots: number;
  running: number;
  /** `well`, `mending`, `open`, `rate_limited` or `rejected`. */
  state: string;
  /** No job before that. */
  until: string | null;
  reason: string | null;
  detail: string | null;
  /** Of the last 24 hours. */
  done: number;
  failed: number;
  p50_seconds: number | null;
  last_error: string | null;
  check?: { ok: boolean; detail?: string };
}

export interface Verification {
  ok: boolean;
  /** How many of each were looked at. */
  checked: Record<string, number>;
  violations: { invariant: string; detail: string }[];
}
