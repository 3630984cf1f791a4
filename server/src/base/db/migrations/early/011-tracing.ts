import type { Dialect } from '../dialect.ts';

/** Adds running workers, and the request that created a job, for log lines about its attempts and deliveries. */
export function tracing({ int, strict }: Dialect): string[] {
  return [
    'alter table jobs add column request_id text',
    `create table workers (
      worker text primary key,
      slots ${int} not null,
      seen_at ${int} not null
    ) ${strict}`,
  ];
}
