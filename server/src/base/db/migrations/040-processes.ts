import type { Dialect } from './dialect.ts';

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
