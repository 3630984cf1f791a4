import type { Dialect } from '../dialect.ts';

/** Adds a table of workers, and to jobs the request that created them, for log lines about attempts and deliveries. */
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
