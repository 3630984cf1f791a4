import type { DarkroomAdmin } from '@darkroom/sdk';

export const accountId = '01890000-0000-7000-8000-00000000aaaa';
export const keyId = '01890000-0000-7000-8000-00000000bbbb';
export const createdAt = '2026-11-20T10:00:00.000Z';
export const statement = {
  account_id: '0197f7a2-0000-7000-8000-0000000000a1',
  account: 'demo',
  month: '2026-10',
  from: '2026-10-01T00:00:00.000Z',
  to: '2026-11-01T00:00:00.000Z',
  currency: 'USD',
  closed: true,
  opening_balance: '0.00',
  lines: [
    { kind: 'credit' as const, model: null, entries: 1, amount: '10.00' },
    { kind: 'capture' as const, model: 'nb2', entries: 3, amount: '-0.12' },
  ],
  closing_balance: '9.88',
  digest: 'd'.repeat(64),
};
export const account = {
  account_id: accountId,
  name: process.env.FAKE_NAME ?? 'demo',
  balance: '10.00',
  reserved: '0.06',
  available: '9.94',
  created_at: createdAt,
  disabled_at: null,
  disabled_reason: null,
  erased_at: null,
  price_group: null,
  members: 1,
  keys: 1,
};
export const key = {
  ...{ key_id: keyId, account_id: accountId, name: 'ci', hint: 'dk_…Z012', created_at: createdAt },
  ...{ status: 'active' as const, models: null, networks: null, expires_at: null, disabled_at: null },
  ...{ last_used_at: null, last_used_address: null, spent_30d: '0.00', jobs_30d: 0 },
};
export const isEmpty = process.env.FAKE_EMPTY !== undefined;

export const route = {
  route: 'nb/gemini',
  model: 'nb',
  provider: 'gemini',
  upstream_model: 'gemini-x',
  upstream_end: { on: '2026-12-01', over: false, notice: 'gemini-x ends on 2026-12-01, in 7 days.' },
  slots: 8,
  timeout_seconds: 300,
  running: 1,
  state: 'rejected' as const,
  until: createdAt,
  reason: 'quota',
  detail: 'HTTP 429: used up',
  done: 12,
  failed: 3,
  p50_seconds: 4.25,
  p95_seconds: 9.5,
  per_minute: null,
  weight: null,
  cost_estimate: null,
  failures: 4,
  cost_per_image: '0.02',
  cost_with_failures: '0.025',
  by_cost: true,
  last_error: 'It failed.',
  check: { ok: false, detail: 'auth: HTTP 401' },
};

export const brand = {
  ...{ version: 4, name: 'Acme Images', accent: '#0b7285', changed_at: createdAt, changed_by: 'Ada' },
  author: { kind: 'person' as const, name: 'Ada' },
  colours: { light: { fill: '#0b7285', text: '#fff' }, dark: { fill: '#0b7285', text: '#fff' } },
  ...{ logo: { url: '/brand/logo.png', width: 120, height: 40 }, support_email: 'help@acme.example' },
  ...{ terms_url: null, privacy_url: null },
};

export const checked = { accounts: 1, entries: 9, keys: 7, jobs: 7, batches: 1, images: 6 };

export const invitation = { url: 'http://127.0.0.1:3000/open#token', expires_at: createdAt };

export const webhook = {
  account_id: accountId,
  endpoint_id: keyId,
  is_default: true,
  events: null,
  url: 'https://example.com/hook',
  ...{ enabled: false, created_at: createdAt, failing_since: null, disabled_at: createdAt },
  disabled_reason: 'gone' as const,
  secret_hint: 'whsec_…new',
  health: { delivered: 1, failed: 0, pending: 0 },
};
const secrets = [
  { secret: 'whsec_new', expires_at: null },
  { secret: 'whsec_old', expires_at: createdAt },
];
export const signing = { account_id: accountId, endpoint_id: webhook.endpoint_id, secrets };
export const delivery = {
  delivery_id: 'dlv_1',
  event_id: 'evt_1',
  type: 'job.done' as const,
  job_id: keyId,
  endpoint_id: webhook.endpoint_id,
  url: webhook.url,
  status: 'pending' as const,
  attempts: 1,
  created_at: createdAt,
  next_attempt_at: createdAt,
  last_status_code: 503,
  last_failure: 'status',
  history: [{ attempt: 1, at: createdAt, duration_ms: 9, status: 503, failure: 'status', answer: 'busy' }],
};

export const status = {
  route: 'nb/sketch',
  model: 'nb',
  provider: 'sketch',
  upstream_model: 'sketch',
  slots: 2,
} as const;

export const alerts = { balance_low: '5.00', spend_near_percent: null, by_email: false };

export const limits = [
  {
    ...{ limit: 'spend_day' as const, unit: 'money' as const, per: 'day' as const },
    ...{ most: '5.00', is_lifted: false, is_default: false, used: '0.04', resets_at: createdAt },
  },
];

export const retention = [
  { part: 'jobs' as const, days: 90, own: true, least: 1 },
  { part: 'audit' as const, days: null, own: false, least: 30 },
];

export function pageOf<Item>(data: Item[]): { data: Item[]; next_cursor: null } {
  return { data, next_cursor: null };
}

export const loss = {
  connections: ['fal'],
  webhook_secrets: 2,
  authenticators: 1,
  payment_keys: 1,
  sessions: 3,
};

export const connection = {
  name: 'home',
  provider: 'comfyui',
  base_url: 'http://127.0.0.1:8188',
  key: 'none' as const,
  source: 'operator' as const,
  locked: null,
  changed_at: createdAt,
  changed_by: 'Ada',
  author: { kind: 'person' as const, name: 'Ada' },
  models: ['flux'],
};

export const rates: Awaited<ReturnType<DarkroomAdmin['listRates']>> = [
  {
    ...{ provider: 'openai', model: 'gpt-image-2', text_in: '5.00', image_in: '8.00', text_out: null },
    ...{ image_out: '30.00', image: null, unit: null, credit: null, currency: 'USD', in_use: true },
    ...{ source: 'https://vendor.example/prices', gateway: 'LiteLLM', read_on: '2026-11-24' },
    ...{ changed_at: null, changed_by: null, author: null },
  },
];

export const billCheck: Awaited<ReturnType<DarkroomAdmin['checkBill']>> = {
  ...{ format: 'fal, usage by endpoint and day', provider: 'fal', currency: 'USD', time_zone: 'UTC' },
  ...{ from: '2026-11-20', to: '2026-11-20', agreed: 3, left_out: 0 },
  unmatched: [{ model: 'fal-ai/upscaler', count: 7, amount: '0.07' }],
  differences: [
    {
      ...{ day: '2026-11-20', upstream_model: 'fal-ai/flux-2', differs: ['count', 'amount'] },
      bill: { count: 5, amount: '0.05' },
      noted: { count: 4, amount: '0.04', without_cost: 0, unknown_attempts: 0, possible_cost: '0.00' },
      attempts: [
        {
          ...{ job_id: '01890000-0000-7000-8000-00000000dddd', attempt: 2, account_id: accountId },
          ...({ billed: 'not_billed', ended_at: '2026-11-20T09:00:00Z' } as const),
          ...{ cost: null, possible_cost: '0.01', currency: 'USD' },
        },
      ],
    },
  ],
};
