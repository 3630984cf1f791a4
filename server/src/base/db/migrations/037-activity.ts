import type { Dialect } from './dialect.ts';

/** An account's ended jobs by hour and day of creation. No foreign keys: counts outlive everything but the ledger. */
export function activity({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table activity (
      account_id ${uuid} not null,
      slot_ms ${int} not null check (slot_ms in (3600000, 86400000)),
      slot ${int} not null,
      model text not null,
      key_id ${uuid} not null,
      resolution text not null,
      status text not null check (status in ('done', 'failed')),
      error_code text not null,
      duration_class ${int} not null,
      jobs ${int} not null check (jobs > 0),
      price_micros ${int} not null check (price_micros >= 0),
      primary key (account_id, slot_ms, slot, model, key_id, resolution, status, error_code, duration_class)
    ) ${clustered}`,
    `create table activity_progress (
      account_id ${uuid} primary key,
      entry_id ${int} not null
    ) ${clustered}`,
  ];
}
