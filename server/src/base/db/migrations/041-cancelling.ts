/** Batches that are being cancelled are looked for with every claim, and every second. There are hardly ever any. */
export function cancelling(): string[] {
  return [
    'create index batches_cancelling on batches (id) where cancelled_at is not null and finished_at is null',
  ];
}
