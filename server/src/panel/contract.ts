/**
 * The API of the panel: every call below `/panel`, with its query, body and answer. The compiler checks the
 * server's handlers against these types. Amounts are decimal strings, times ISO 8601 UTC, ids UUIDs.
 * README.md in `panel/src/api` covers sessions, errors and live updates. Longer than other files, because a
 * contract is read in one place.
 */
export interface PanelCalls {
  // ── signing in ─────────────────────────────────────────────────────────────────────────────────────────────────
  /** The signed-in person; `401 session_missing` without a session. */
  'GET /panel/session': { answer: Session };
  /** What the sign-in page offers. */
  'GET /panel/sign-in': { answer: SignInOptions };
  'POST /panel/sign-in': { body: { email: string; password: string }; answer: SignInAnswer };
  /** The second step: six digits of the authenticator, or a backup code. */
  'POST /panel/sign-in/code': { body: { code: string }; answer: Session };
  /** Where the browser goes to sign in with the configured identity provider. */
  'POST /panel/sign-in/oidc': { body: { return_to?: string }; answer: { url: string } };
  'POST /panel/sign-out': { answer: null };
  /** What a one-time link is for, without using it up. */
  'POST /panel/links/look': { body: { token: string }; answer: LinkInfo };
  /** Uses a one-time link up: signs in, or accepts an invitation (then `email`, `password` and `name` are needed). */
  'POST /panel/links/open': {
    body: { token: string; name?: string; email?: string; password?: string };
    answer: Session;
  };
  /** Sets or changes my name, e-mail and password. `current_password` unless `session.may_reset_password`. */
  'POST /panel/session/credentials': {
    body: { name?: string; email?: string; password?: string; current_password?: string };
    answer: Session;
  };
  /** Begins the set-up of an authenticator; it counts from the confirmation on. */
  'POST /panel/session/authenticator': {
    body: { password: string };
    answer: { uri: string; backup_codes: string[] };
  };
  'POST /panel/session/authenticator/confirm': { body: { code: string }; answer: Session };
  'POST /panel/session/authenticator/remove': { body: { password: string }; answer: Session };
  /** My sessions, newest first. */
  'GET /panel/session/sessions': { answer: { data: SessionRow[] } };
  /** Ends one session. Needs `current_password` if one is set and this session is older than 15 minutes. */
  'POST /panel/session/sessions/:session_id/end': { body: { current_password?: string }; answer: null };
  /** Ends my other sessions; `current_password` as above. */
  'POST /panel/session/end-others': { body: { current_password?: string }; answer: null };

  // ── an account: members of it, and operators ───────────────────────────────────────────────────────────────────
  'GET /panel/accounts/:account_id/overview': { answer: Overview };
  /** The models as this account may use them, with prices. */
  'GET /panel/accounts/:account_id/models': { answer: { currency: string; data: PanelModel[] } };

  'GET /panel/accounts/:account_id/jobs': { query: JobQuery; answer: Page<JobRow> };
  /** The same filters; `text/csv`, newest first. */
  'GET /panel/accounts/:account_id/jobs.csv': { query: JobQuery; answer: string };
  /**
   * Long poll: answers when jobs of the account change after `cursor`, or after 25 seconds. Without a cursor
   * it answers at once.
   */
  'GET /panel/accounts/:account_id/jobs/changes': { query: { cursor?: string }; answer: JobChanges };
  'GET /panel/accounts/:account_id/jobs/:job_id': { answer: JobDetail };
  /** `image/*`: the nth input of a job, as it is stored. */
  'GET /panel/accounts/:account_id/jobs/:job_id/inputs/:index': { answer: Blob };
  'GET /panel/accounts/:account_id/estimate': {
    query: { model: ModelId; resolution?: Resolution; count?: string };
    answer: Estimate;
  };
  /**
   * Takes the header `Idempotency-Key`; send one, so that a repeated click makes one job. Errors are those of
   * the public API.
   */
  'POST /panel/accounts/:account_id/jobs': { body: NewJob; answer: { job_id: string; replayed: boolean } };
  /** Repeats the request, inputs included. Takes `Idempotency-Key`. */
  'POST /panel/accounts/:account_id/jobs/:job_id/again': { answer: { job_id: string; replayed: boolean } };
  'POST /panel/accounts/:account_id/jobs/:job_id/cancel': { answer: JobDetail };

  'GET /panel/accounts/:account_id/keys': { answer: { data: Key[] } };
  'POST /panel/accounts/:account_id/keys': {
    body: { name: string; models: ModelId[] | null; expires_at: string | null };
    answer: NewKey;
  };
  'POST /panel/accounts/:account_id/keys/:key_id/disable': { answer: Key };
  /** Makes a new secret under the same name; the old one works for `overlap` longer. */
  'POST /panel/accounts/:account_id/keys/:key_id/roll': { body: { overlap: Overlap }; answer: NewKey };

  'GET /panel/accounts/:account_id/balance': { answer: Balance };
  /** Newest first; `limit` 1 to 200, 50 by default. */
  'GET /panel/accounts/:account_id/entries': {
    query: { cursor?: string; limit?: string; kind?: EntryKind };
    answer: Page<Entry>;
  };
  /** Every entry, oldest first. */
  'GET /panel/accounts/:account_id/entries.csv': { answer: string };

  /** Days are UTC and a job counts on the day on which it was created. 30 days by default, 92 at most. */
  'GET /panel/accounts/:account_id/usage': { query: UsageQuery; answer: Usage };
  'GET /panel/accounts/:account_id/usage.csv': { query: UsageQuery; answer: string };

  'GET /panel/accounts/:account_id/webhook': { answer: Webhook };
  /**
   * Sets or replaces the account's endpoint; `null` removes it. Setting the same URL again enables an
   * endpoint that was disabled.
   */
  'POST /panel/accounts/:account_id/webhook': { body: { url: string | null }; answer: Webhook };
  /** The signing secret(s) in full. */
  'POST /panel/accounts/:account_id/webhook/reveal': { answer: { secrets: WebhookSecret[] } };
  /**
   * Makes a new secret. Deliveries carry both signatures for a day, or only the new one if the old one
   * leaked.
   */
  'POST /panel/accounts/:account_id/webhook/rotate': {
    body: { leaked: boolean };
    answer: { secrets: WebhookSecret[] };
  };
  /** Sends an example event now and returns the result. */
  'POST /panel/accounts/:account_id/webhook/test': { answer: DeliveryAttempt };
  'GET /panel/accounts/:account_id/deliveries': { query: DeliveryQuery; answer: Page<Delivery> };
  'GET /panel/accounts/:account_id/deliveries/:delivery_id': { answer: DeliveryDetail };
  /** Sends its event again, under the same `webhook-id`; answers the new delivery. */
  'POST /panel/accounts/:account_id/deliveries/:delivery_id/replay': { answer: Delivery };
  /** Sends events again whose delivery failed since then. */
  'POST /panel/accounts/:account_id/deliveries/replay-failed': {
    body: { since: string };
    answer: { replayed: number };
  };

  // ── operators; `403 operator_required` for everyone else ─────────────────────────────────────────────────────
  /** `search`: part of a name, or an id. At most 500, by name. */
  'GET /panel/operator/accounts': { query: { search?: string }; answer: { data: OperatorAccount[] } };
  'POST /panel/operator/accounts': {
    body: { name: string; credit?: string; reason?: string };
    answer: OperatorAccount;
  };
  'GET /panel/operator/accounts/:account_id': { answer: OperatorAccountDetail };
  /** Takes an `Idempotency-Key`: the same credit under the same key is given once. */
  'POST /panel/operator/accounts/:account_id/credit': {
    body: { amount: string; reason: string };
    answer: OperatorAccount;
  };
  /** Its keys are refused and no new jobs are accepted; running jobs finish and are settled. */
  'POST /panel/operator/accounts/:account_id/disable': { body: { reason: string }; answer: OperatorAccount };
  'POST /panel/operator/accounts/:account_id/enable': { answer: OperatorAccount };
  /** Makes a link with which a person becomes a member of the account. */
  'POST /panel/operator/accounts/:account_id/invite': { body: { note?: string }; answer: Invitation };
  'POST /panel/operator/accounts/:account_id/members/:person_id/remove': { answer: OperatorAccountDetail };
  'GET /panel/operator/operators': { answer: Operators };
  /** Makes a link with which a person becomes an operator. */
  'POST /panel/operator/operators/invite': { body: { note?: string }; answer: Invitation };
  /** Revokes an invitation that has not been accepted. */
  'POST /panel/operator/invitations/:invitation_id/revoke': { answer: null };
  /**
   * Fails for the last operator. Also ends the sign-in links this operator made, and the sessions that began
   * with them.
   */
  'POST /panel/operator/operators/:person_id/remove': { answer: Operators };
  /** Confirms that the e-mail is this person's; `422` when they have changed it since it was read. */
  'POST /panel/operator/people/:person_id/confirm-email': { body: { email: string }; answer: Person };
  /** A link that signs this person in once and lets them set a new password; ends their sessions. */
  'POST /panel/operator/people/:person_id/link': { answer: Invitation };

  'GET /panel/operator/models': { answer: OperatorModels };
  /** `scope`: `project` or a model id. Replaces the current pause. */
  'POST /panel/operator/pauses/:scope': {
    body: { reason: string | null; until: string | null };
    answer: OperatorModels;
  };
  'POST /panel/operator/pauses/:scope/resume': { answer: OperatorModels };
  /** Checks whether the provider of a route answers; `route_id` has its slash encoded. */
  'POST /panel/operator/routes/:route_id/check': { answer: RouteCheck };

  'GET /panel/operator/system': { answer: System };
  /** Looks for broken invariants now. */
  'POST /panel/operator/self-check': { answer: SelfCheck };
  'GET /panel/operator/audit': {
    query: { cursor?: string; limit?: string; account_id?: string; person_id?: string; action?: string };
    answer: Page<AuditEntry>;
  };
}

export type PanelCallName = keyof PanelCalls;
export type AnswerOf<Call extends PanelCallName> = PanelCalls[Call]['answer'];
export type BodyOf<Call extends PanelCallName> = PanelCalls[Call] extends { body: infer Body }
  ? Body
  : undefined;
export type QueryOf<Call extends PanelCallName> = PanelCalls[Call] extends { query: infer Query }
  ? Query
  : undefined;

// ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────
export type ModelId = 'nb' | 'nb2' | 'pro';
export type Mode = 'text' | 'url';
export type Resolution = '1K' | '2K' | '4K';
export type JobStatus = 'queued' | 'processing' | 'done' | 'failed';
export type JobErrorCode =
  | 'safety_blocked'
  | 'no_image'
  | 'invalid_input'
  | 'provider_unavailable'
  | 'provider_rejected'
  | 'timed_out'
  | 'interrupted'
  | 'cancelled'
  | 'internal';
export type EntryKind = 'credit' | 'reserve' | 'capture' | 'release';
export type Overlap = 'now' | '1h' | '24h' | '7d';
export type PauseScope = 'project' | ModelId;

/** Newest first; `next_cursor` is null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

// ── people ───────────────────────────────────────────────────────────────────────────────────────────────────────
export interface Session {
  person: Person;
  operator: boolean;
  /** The accounts this person may open: their own, or all (at most 500, by name) for an operator. */
  accounts: AccountRef[];
  has_password: boolean;
  has_authenticator: boolean;
  /**
   * Signed in with a password alone where a second factor is required: only calls about oneself are allowed.
   */
  must_set_up_authenticator: boolean;
  /** Signed in by a one-time link within the last hour, so a new password does not need the old one. */
  may_reset_password: boolean;
  /** How this session began. */
  via: 'password' | 'link' | 'oidc';
  expires_at: string;
  currency: string;
  version: string;
}

/** A browser in which a person is signed in. */
export interface SessionRow {
  session_id: string;
  /** The session of this request. */
  current: boolean;
  via: 'password' | 'link' | 'oidc';
  /** The IP address it began from. */
  address: string | null;
  /** The browser's `User-Agent`. */
  browser: string | null;
  created_at: string;
  /** When use last extended it; at most once a day. */
  renewed_at: string;
}

export interface Person {
  person_id: string;
  name: string;
  /** Null until the first operator gives one. */
  email: string | null;
  /** Confirmed by an operator. Single sign-on only matches confirmed e-mails. */
  email_confirmed: boolean;
  created_at: string;
}

export interface AccountRef {
  account_id: string;
  name: string;
  disabled: boolean;
}

/** `code_required`: the password was right, now `POST /panel/sign-in/code`. */
export type SignInAnswer = { next: 'done'; session: Session } | { next: 'code_required' };

export interface SignInOptions {
  /** Name of the identity provider for the button; null when none is configured. */
  oidc: { name: string } | null;
  /** No password has been set yet: the page explains the one-time link and `darkroom panel-link`. */
  first_run: boolean;
  min_password_length: number;
}

export interface LinkInfo {
  kind: 'sign_in' | 'invitation';
  /** The account to join; null for an operator's invitation. */
  account_name: string | null;
  role: 'member' | 'operator';
  expires_at: string;
}

// ── an account ───────────────────────────────────────────────────────────────────────────────────────────────────
export interface Overview {
  account: AccountRef;
  balance: Balance;
  queue: { queued: number; processing: number; oldest_queued_at: string | null };
  /** Since midnight UTC, by the day of creation. */
  today: {
    jobs: number;
    done: number;
    failed: number;
    /** Share of finished jobs that are done, 0 to 1; null without finished jobs. */
    success_rate: number | null;
    spent: string;
    /** From creation to finish, of jobs that are done. */
    p50_ms: number | null;
    p95_ms: number | null;
  };
  /** The last 24 hours, oldest first, always 24 items. */
  hours: { hour: string; done: number; failed: number; open: number }[];
  /** At most 12. */
  latest_images: JobRow[];
  problems: Problem[];
  /** The checklist of a new account. */
  steps: { image_made: boolean; key_created: boolean; key_used: boolean; webhook_set: boolean };
}

/** Problems, worst first. `text` is a sentence; `subject` is what it is about (a model id, a job id). */
export interface Problem {
  kind:
    | 'account_disabled'
    | 'project_paused'
    | 'model_paused'
    | 'balance_low'
    | 'webhook_failing'
    | 'webhook_disabled'
    | 'jobs_failing'
    | 'queue_slow'
    /** Shown to operators only. */
    | 'sign_ins_failing';
  severity: 'error' | 'warning';
  text: string;
  subject: string | null;
  since: string | null;
}

export interface PanelModel {
  model: ModelId;
  name: string;
  /** Includes `auto` where the model takes it. */
  aspect_ratios: string[];
  /** Pixels at 1K by ratio; 2K and 4K are exactly two and four times that. */
  sizes: Record<string, { width: number; height: number }>;
  /** With a single item, the field `resolution` is not sent. */
  resolutions: { resolution: Resolution; price: string }[];
  max_input_images: number;
  /** Characters. */
  max_prompt_length: number;
  paused: boolean;
  pause_reason: string | null;
  paused_until: string | null;
}

export interface JobQuery {
  status?: JobStatus;
  model?: ModelId;
  /** A key id, or `panel` for jobs of the playground. */
  key_id?: string;
  /** Creation times: at or after, before. */
  from?: string;
  to?: string;
  /** An id, the beginning of one (4 characters or more), or an Idempotency-Key. */
  search?: string;
  cursor?: string;
  /** 1 to 100; 50 by default. */
  limit?: string;
}

export interface JobRow {
  job_id: string;
  status: JobStatus;
  model: ModelId;
  mode: Mode;
  /** The first 200 characters. */
  prompt: string;
  aspect_ratio: string;
  resolution: Resolution;
  price: string;
  /** Null: created in the playground. */
  key_id: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
  error_code: JobErrorCode | null;
  /** Signed, valid for 24 hours; null unless `done`. */
  image_url: string | null;
  width: number | null;
  height: number | null;
}

export interface JobChanges {
  /** Changed jobs as they are now, at most 100; `more` means to call again at once. */
  data: JobRow[];
  more: boolean;
  cursor: string;
  balance: Balance;
}

export interface JobDetail extends Omit<JobRow, 'prompt'> {
  prompt: string;
  requested_ratio: string;
  key: { key_id: string; name: string; hint: string } | null;
  bytes: number | null;
  /** When the link in `image_url` expires. */
  image_expires_at: string | null;
  notes: string[];
  callback_url: string | null;
  idempotency_key: string | null;
  attempts: number;
  /** Queued only: how many jobs of the same model are ahead, over all accounts. */
  position: number | null;
  cancellable: boolean;
  inputs: { index: number; url: string; width: number; height: number; bytes: number; media_type: string }[];
  /** In order of time. */
  timeline: {
    at: string;
    what: 'created' | 'started' | 'attempt_failed' | 'done' | 'failed';
    text: string;
  }[];
  /** Attempts that made no image. `detail` is for operators and null for members. */
  failures: {
    attempt: number;
    at: string;
    route: string | null;
    kind: string;
    message: string;
    detail: string | null;
  }[];
  /**
   * The request as it would be sent to the public API. Input URLs are not stored, so `input_images_urls` is
   * absent.
   */
  request: { method: 'POST'; path: string; body: Record<string, unknown> };
  /** The Job resource as `GET /jobs/{job_id}` of the public API answers it. */
  response: Record<string, unknown>;
  entries: Entry[];
  /** Webhook deliveries of this job; absent from servers that do not report them. */
  deliveries?: DeliveryDetail[];
}

export interface NewJob {
  model: ModelId;
  prompt: string;
  aspect_ratio: string;
  /** Never for `nb`. */
  resolution?: Resolution;
  /** None: text to image. `job_id`: the result of a job of this account. */
  inputs?: ({ url: string } | { job_id: string })[];
  callback_url?: string | null;
}

export interface Estimate {
  /** Price of one job. */
  price: string;
  /** Price of all. */
  total: string;
  available: string;
  /** What would be left; may be negative. */
  available_after: string;
  affordable: boolean;
  paused: boolean;
}

// ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────
export interface Key {
  key_id: string;
  name: string;
  /** `dk_Ab12…9xYz` */
  hint: string;
  /** Null: every model. */
  models: ModelId[] | null;
  status: 'active' | 'expiring' | 'expired' | 'disabled';
  created_at: string;
  expires_at: string | null;
  disabled_at: string | null;
  last_used_at: string | null;
  /** Prices of its done jobs of the last 30 days. */
  spent_30d: string;
  jobs_30d: number;
}

export interface NewKey {
  key: Key;
  /** The whole key, shown only once. */
  secret: string;
}

// ── money ────────────────────────────────────────────────────────────────────────────────────────────────────────
export interface Balance {
  /** `available` = `balance` − `reserved`. */
  balance: string;
  reserved: string;
  available: string;
}

export interface Entry {
  entry_id: number;
  kind: EntryKind;
  amount: string;
  /** What it did to balance and reserved, with sign. */
  balance_change: string;
  reserved_change: string;
  /** Right after it; null where the call filters by kind, and on a job's page. */
  balance_after: string | null;
  reserved_after: string | null;
  job_id: string | null;
  reason: string | null;
  created_at: string;
}

export interface UsageQuery {
  /** `2026-11-01`, the first day. */
  from?: string;
  /** The last day, included. */
  to?: string;
  by?: 'model' | 'key';
}

export interface Usage {
  from: string;
  to: string;
  by: 'model' | 'key';
  timezone: 'UTC';
  /** All series, most expensive first. `id` is a model id, a key id or `panel`. */
  series: { id: string; name: string; cost: string; jobs: number }[];
  /** Every day from `from` to `to`, also those without jobs. `values` is in the order of `series`. */
  days: {
    day: string;
    cost: string;
    jobs: number;
    done: number;
    failed: number;
    values: { cost: string; jobs: number; done: number; failed: number }[];
  }[];
  total: { cost: string; jobs: number; done: number; failed: number };
}

// ── webhooks ─────────────────────────────────────────────────────────────────────────────────────────────────────
export interface Webhook {
  /** Null: no endpoint is set. */
  url: string | null;
  created_at: string | null;
  /** Since when every attempt has failed; null while it works. */
  failing_since: string | null;
  /** When and why deliveries stopped: `gone` (it answered 410) or `failing`. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** `whsec_…last4` */
  secret_hint: string;
  /** Of the last 7 days. */
  health: { delivered: number; failed: number; pending: number };
}

export interface WebhookSecret {
  secret: string;
  /** Null for the newest. */
  expires_at: string | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryQuery {
  status?: DeliveryStatus;
  job_id?: string;
  cursor?: string;
  /** 1 to 100; 50 by default. */
  limit?: string;
}

export interface Delivery {
  delivery_id: number;
  /** `webhook-id` */
  event_id: string;
  type: 'job.done' | 'job.failed';
  job_id: string;
  url: string;
  status: DeliveryStatus;
  attempts: number;
  created_at: string;
  /** When it is tried next; null unless pending. */
  next_attempt_at: string | null;
  last_status_code: number | null;
  /** A failure word; null after a success. */
  last_failure: string | null;
}

export interface DeliveryDetail extends Delivery {
  /** The body as it is sent, JSON text. */
  body: string;
  history: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  attempt: number;
  at: string;
  duration_ms: number | null;
  status: number | null;
  /** A word such as `timed_out`, `blocked_address`, `connect_refused`, `status`; null for a success. */
  failure: string | null;
  /** The first 4 kB of the answer. */
  answer: string | null;
}

// ── operators ────────────────────────────────────────────────────────────────────────────────────────────────────
export interface OperatorAccount extends Balance {
  account_id: string;
  name: string;
  created_at: string;
  disabled_at: string | null;
  disabled_reason: string | null;
  members: number;
  keys: number;
}

export interface OperatorAccountDetail extends OperatorAccount {
  people: Person[];
  invitations: OpenInvitation[];
}

export interface Operators {
  data: Person[];
  /** Open invitations to become an operator. */
  invitations: OpenInvitation[];
}

export interface OpenInvitation {
  invitation_id: string;
  note: string | null;
  /** The operator whose removal ends it; null for the command line. */
  made_by: string | null;
  created_at: string;
  expires_at: string;
}

export interface Invitation {
  /** Opens once, and is shown once. */
  url: string;
  expires_at: string;
}

export interface OperatorModels {
  project_pause: Pause | null;
  models: OperatorModel[];
}

export interface Pause {
  reason: string | null;
  until: string | null;
  since: string;
}

export interface OperatorModel {
  model: ModelId;
  name: string;
  pause: Pause | null;
  prices: { resolution: Resolution; price: string }[];
  routes: Route[];
  queue: { queued: number; processing: number; oldest_queued_at: string | null };
}

export interface Route {
  route: string;
  model: string;
  provider: string;
  /** The upstream's name of the model; null where the settings leave it to the provider. */
  upstream_model: string | null;
  slots: number;
  running: number;
  timeout_seconds: number;
  /** Of its circuit: closed, half open (the next job probes the route), or why it is open. */
  state: 'closed' | 'half_open' | 'open' | 'rate_limited' | 'rejected';
  /** No job goes to the route before that; null unless the circuit is open. */
  until: string | null;
  /** A failure kind. */
  reason: string | null;
  detail: string | null;
  /** Jobs of the last 24 hours, by the route of their last attempt. */
  done: number;
  failed: number;
  p50_seconds: number | null;
  last_error: string | null;
}

export interface RouteCheck {
  route_id: string;
  ok: boolean;
  detail: string | null;
  ms: number;
}

export interface System {
  version: string;
  node: string;
  started_at: string;
  role: 'all' | 'api' | 'worker';
  database: { kind: 'sqlite' | 'postgres'; bytes: number; schema_version: number };
  storage: { kind: string; image_bytes: number; images: number };
  /** Sign-ins that failed in the last ten minutes. */
  sign_in_failures: number;
  /** Workers that hold jobs now. */
  workers: { worker: string; jobs: number; lease_until: string }[];
  queue: { queued: number; processing: number; oldest_queued_at: string | null };
  memory_bytes: number;
  /** Secrets are shown as `set` or `not set`. */
  configuration: { name: string; value: string; source: 'environment' | 'file' | 'default'; about: string }[];
}

export interface SelfCheck {
  ok: boolean;
  checked: Record<string, number>;
  violations: { invariant: string; detail: string }[];
  ms: number;
}

export interface AuditEntry {
  audit_id: number;
  at: string;
  /** Null for the command line or a key. */
  person: { person_id: string; name: string } | null;
  /** Who did it, as text. */
  actor: string;
  /** `account.credited`, `key.created`, `pause.started`, … */
  action: string;
  account: { account_id: string; name: string } | null;
  /** What was changed: a key id, a model, a person. */
  subject: string | null;
  /** Amounts, reasons; never a secret. */
  detail: Record<string, string | number | boolean | null>;
  /** The IP address; null for the command line, and for entries of earlier versions. */
  address: string | null;
}

// ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────
/** `application/problem+json`, as in the public API. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  /** A sentence about this request; show it. */
  detail: string;
  /** A code of the public API, or one of `PanelErrorCode`. */
  code: string;
  errors?: { pointer: string; detail: string; code?: string }[];
  available?: string;
  required?: string;
  /** Show it with every error. */
  request_id: string;
}

export type PanelErrorCode =
  /** 401: not signed in, or the session ended. Go to the sign-in page. */
  | 'session_missing'
  /** 401: wrong e-mail, password or code; also when there is no such person. */
  | 'sign_in_refused'
  /** 409: no configured secret decrypts the person's authenticator. */
  | 'authenticator_unreadable'
  | 'webhook_secret_unreadable'
  /** 403: the one-time link is used up, too old or not one of ours. */
  | 'panel_link_invalid'
  /** 403: set up an authenticator first, see `must_set_up_authenticator`. */
  | 'second_factor_required'
  /** 403: for operators only. */
  | 'operator_required'
  /** 403: the request did not come from the panel's own pages. */
  | 'origin_refused'
  /** 403: the account is disabled; it can be read but not used. */
  | 'account_disabled'
  /** 429, with `Retry-After`. */
  | 'too_many_requests';
