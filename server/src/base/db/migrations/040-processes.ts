import type { Dialect } from './dialect.ts';

/** Adds the processes on this database, each with its version: an upgrade runs several for a while. */
export function processes({ int, strict }: Dialect): string[] {
  return [
    `create table processes (
      process text primary key,
      role text not null,
      version text not null,
      started_at ${int} not null,
      seen_at ${int} not null
    ) ${strict}`,
  ];
}
