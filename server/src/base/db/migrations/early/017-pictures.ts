import type { Dialect } from '../dialect.ts';

/** Adds facts about images, and the objects to remove, which are listed until they are surely gone. */
export function pictures(dialect: Dialect): string[] {
  const { int, strict } = dialect;
  return [
    'alter table jobs add column thumbhash text',
    'alter table jobs add column colours text',
    `alter table jobs add column image_deleted_at ${int} constraint only_ended_jobs_lose_images check (
      image_deleted_at is null or (status in ('done', 'failed') and prompt = '' and inputs = '[]' and failures = '[]'
        and notes is null and parameters is null and thumbhash is null and colours is null))`,
    ...letNoTerminalJobChange(dialect, settled),
    `create table image_removals (key text primary key, requested_at ${int} not null) ${strict}`,
    'create index image_removals_by_time on image_removals (requested_at)',
  ];
}

/** Replaces the previous trigger. An ended job's `columns` never change, and its content can only be removed. */
export function letNoTerminalJobChange(
  { kind, rejectChange }: Dialect,
  columns: readonly string[],
): string[] {
  const terminal = `old.status in ('done', 'failed')`;
  const deleted = 'old.image_deleted_at is null and new.image_deleted_at is not null';
  return [
    `drop trigger "jobs: a terminal job never changes"${kind === 'postgres' ? ' on jobs' : ''}`,
    ...rejectChange(
      'jobs',
      'update',
      `${terminal} and (${changed(columns)} or (${changed(content)} and not (${deleted}))
        or (old.image_deleted_at is not null and ${changed(['image_deleted_at'])}))`,
      'a terminal job never changes',
    ),
  ];
}

export const settled = [
  ...['id', 'account_id', 'key_id', 'client_token_id', 'model', 'model_version', 'mode', 'requested_ratio'],
  ...[
    'aspect_ratio',
    'resolution',
    'price_micros',
    'cost_micros',
    'callback_url',
    'idempotency_key',
    'status',
  ],
  ...[
    'attempt',
    'worker',
    'claimable_at',
    'route',
    'remote_id',
    'created_at',
    'started_at',
    'finished_at',
    'error',
  ],
  ...['error_code', 'image_key', 'image_width', 'image_height', 'image_bytes', 'image_sha256', 'request_id'],
];

/** The columns that change only if the image is removed. */
const content = ['prompt', 'inputs', 'failures', 'notes', 'parameters'];

export function changed(columns: readonly string[]): string {
  return `(${columns.map((column) => `new.${column}`).join(', ')}) is distinct from (${columns.map((column) => `old.${column}`).join(', ')})`;
}
