/**
 * Every claim searches for batches that are being cancelled, and so does a loop each second. There are hardly ever any.
 */
export function cancelling(): string[] {
  return [
    'create index batches_cancelling on batches (id) where cancelled_at is not null and finished_at is null',
  ];
}
