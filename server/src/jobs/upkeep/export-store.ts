import { sql } from 'kysely';
import { noEmailDomain } from '../../accounts/people/person-row.ts';
import type { Queries } from '../../base/db/schema.ts';
import { createdColumns } from '../job-store.ts';
import { makerName } from '../shares/share-store.ts';

/** A part of an account's archive, without secrets and hashes. */
interface Source {
  from: string;
  account: string;
  /** The columns that sort the rows. Together they are unique. */
  keys: readonly string[];
  columns: readonly string[];
}

const job = [
  ...Object.keys(createdColumns).filter((name) => name !== 'account_id'),
  ...['status', 'error', 'error_code', 'failures', 'notes', 'created_at', 'started_at', 'finished_at'],
  ...['image_key', 'image_width', 'image_height', 'image_bytes', 'image_sha256', 'image_deleted_at'],
];

export const sources = {
  account: {
    from: 'accounts',
    account: 'id',
    keys: ['id'],
    columns: [
      ...['id', 'name', 'balance_micros', 'reserved_micros', 'debt_micros', 'created_at', 'disabled_at'],
      ...['disabled_reason', 'alert_balance_micros', 'alert_spend_percent'],
    ],
  },
  members: {
    // `people.email` has a placeholder for people who only claim an email, or have none.
    from: `(select members.account_id, members.role, members.created_at, people.id, people.name,
        coalesce(claimed_email, case when email not like '%${noEmailDomain}' then email end) as email
      from members join people on people.id = members.person_id) as members`,
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'name', 'email', 'role', 'created_at'],
  },
  invitations: {
    from: "(select * from panel_links where kind = 'invitation') as invitations",
    account: 'account_id',
    keys: ['created_at', 'token_hash'],
    columns: ['role', 'note', 'created_at', 'expires_at', 'used_at'],
  },
  retention: { from: 'retentions', account: 'account_id', keys: ['part'], columns: ['part', 'days'] },
  keys: {
    from: 'api_keys',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...['id', 'name', 'hint', 'models', 'networks', 'created_at', 'expires_at', 'disabled_at'],
      ...['last_used_at', 'last_used_address'],
    ],
  },
  client_tokens: {
    from: `(select client_tokens.*, account_id from client_tokens
      join api_keys on api_keys.id = client_tokens.key_id) as client_tokens`,
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'key_id', 'models', 'origin', 'created_at', 'expires_at'],
  },
  limits: {
    from: `(select limits.*, coalesce(api_keys.account_id, limits.subject_id) as account_id
      from limits left join api_keys on api_keys.id = limits.subject_id) as limits`,
    account: 'account_id',
    keys: ['subject_id', 'meter'],
    columns: ['subject', 'subject_id', 'meter', 'most', 'is_default', 'used', 'starts_at'],
  },
  endpoints: {
    from: 'endpoints',
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'url', 'events', 'created_at', 'disabled_at', 'disabled_reason'],
  },
  jobs: { from: 'jobs', account: 'account_id', keys: ['id'], columns: job },
  batches: {
    from: 'batches',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...[
        'id',
        'name',
        'jobs',
        'done',
        'failed',
        'price_micros',
        'charged_micros',
        'created_at',
        'cancelled_at',
      ],
      ...['finished_at', 'callback_url'],
    ],
  },
  tags: { from: 'job_tags', account: 'account_id', keys: ['tag', 'job_id'], columns: ['tag', 'job_id'] },
  albums: {
    from: 'albums',
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'name', 'created_at'],
  },
  album_images: {
    from: 'album_images',
    account: 'account_id',
    keys: ['album_id', 'position'],
    columns: ['album_id', 'position', 'job_id'],
  },
  stars: { from: 'job_stars', account: 'account_id', keys: ['job_id'], columns: ['job_id'] },
  entries: {
    from: 'entries',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...['id', 'job_id', 'kind', 'amount_micros', 'reason', 'reference', 'corrects', 'model', 'created_at'],
    ],
  },
  payments: {
    from: 'payments',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...['id', 'provider', 'state', 'amount_micros', 'reference', 'charged_minor', 'reversed_micros'],
      ...['created_at', 'paid_at'],
    ],
  },
  payment_reversals: {
    from: 'payment_reversals join payments on payments.id = payment_reversals.payment_id',
    account: 'payments.account_id',
    keys: ['payment_reversals.reference'],
    columns: ['reference', 'payment_id', 'kind', 'minor', 'state', 'said_at'].map(
      (column) => `payment_reversals.${column}`,
    ),
  },
  top_up: {
    from: 'top_ups left join payment_cards on payment_cards.id = top_ups.card',
    account: 'top_ups.account_id',
    keys: ['top_ups.account_id'],
    columns: [
      ...['top_ups.state', 'stopped_by', 'threshold_micros', 'amount_micros', 'month_micros'],
      ...['brand', 'last4', 'ends'],
    ],
  },
  debts: {
    from: 'debts',
    account: 'account_id',
    keys: ['id'],
    columns: ['reason', 'corrects', 'amount_micros', 'left_micros', 'created_at'],
  },
  events: {
    from: 'events',
    account: 'account_id',
    keys: ['seq'],
    columns: ['id', 'job_id', 'type', 'data', 'created_at'],
  },
  deliveries: {
    from: 'deliveries',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...['id', 'event_id', 'endpoint_id', 'url', 'status', 'attempt', 'failure', 'created_at', 'ended_at'],
    ],
  },
  delivery_attempts: {
    from: 'delivery_attempts join deliveries on deliveries.id = delivery_attempts.delivery_id',
    account: 'deliveries.account_id',
    keys: ['delivery_attempts.delivery_id', 'delivery_attempts.attempt'],
    columns: ['delivery_id', 'attempt', 'at', 'duration_ms', 'status', 'failure', 'answer'].map(
      (column) => `delivery_attempts.${column}`,
    ),
  },
  uploads: {
    from: 'uploads',
    account: 'account_id',
    keys: ['id'],
    columns: [
      ...['id', 'key', 'media_type', 'width', 'height', 'bytes', 'sha256', 'created_at', 'expires_at'],
    ],
  },
  batch_files: {
    from: 'batch_files',
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'name', 'bytes', 'created_at'],
  },
  batch_sources: {
    from: 'batch_sources join batches on batches.id = batch_sources.batch_id',
    account: 'batches.account_id',
    keys: ['batch_sources.batch_id'],
    columns: ['batch_id', 'file_id', 'call', 'metadata', 'answers'].map(
      (column) => `batch_sources.${column}`,
    ),
  },
  shares: {
    from: `(select token, account_id, job_ids, album_id, with_prompts, ${makerName} as made_by, created_at,
      expires_at, revoked_at from shares) as shares`,
    account: 'account_id',
    keys: ['token'],
    columns: ['job_ids', 'album_id', 'with_prompts', 'made_by', 'created_at', 'expires_at', 'revoked_at'],
  },
  refused_prompts: {
    from: '(select * from refusals where prompt is not null) as refusals',
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'key_id', 'job_id', 'stage', 'reason', 'prompt', 'at'],
  },
  audit: {
    from: 'audit_log',
    account: 'account_id',
    keys: ['id'],
    columns: ['id', 'at', 'person_id', 'person_name', 'actor_kind', 'action', 'subject', 'detail', 'address'],
  },
} satisfies Record<string, Source>;
export type SourceName = keyof typeof sources;

export type Row = Record<string, unknown>;

export async function listRowsOf(
  queries: Queries,
  name: SourceName,
  { accountId, after, limit }: { accountId: string; after: readonly unknown[] | null; limit: number },
): Promise<{ rows: Row[]; last: readonly unknown[] | null }> {
  const source: Source = sources[name];
  const keys = sql.join(source.keys.map((key) => sql.ref(key)));
  const named = source.keys.map((key, index) => sql`${sql.ref(key)} as ${sql.ref(`key_${index}`)}`);
  const columns = source.columns.map((column) => sql.ref(column));
  const beyond =
    after === null ? sql`true` : sql`(${keys}) > (${sql.join(after.map((value) => sql`${value}`))})`;
  const { rows } = await sql<Row>`select ${sql.join([...columns, ...named])} from ${sql.raw(source.from)}
    where ${sql.ref(source.account)} = ${accountId} and ${beyond} order by ${keys} limit ${sql.lit(limit)}`.execute(
    queries,
  );
  const end = rows.at(-1);
  const isKey = (column: string) => column.startsWith('key_') && !source.columns.includes(column);
  return {
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !isKey(column)))),
    last: end ? source.keys.map((_, index) => end[`key_${index}`]) : null,
  };
}
