/** Indexes batches that are being cancelled, which each claim and a loop look up. */
export function cancelling(): string[] {
  return [
    'create index batches_cancelling on batches (id) where cancelled_at is not null and finished_at is null',
  ];
}
