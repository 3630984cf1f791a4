/** Indexes batches that are being cancelled, for which each claim, and a loop each second, looks. */
export function cancelling(): string[] {
  return [
    'create index batches_cancelling on batches (id) where cancelled_at is not null and finished_at is null',
  ];
}
