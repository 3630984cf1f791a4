import type { Dialect } from './dialect.ts';

/**
 * Adds the processes on this database, each with its version: during an upgrade, several versions run at the same time.
 */
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
