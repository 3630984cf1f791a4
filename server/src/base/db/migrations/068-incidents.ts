import type { Dialect } from './dialect.ts';

/** Adds `incidents`, which keeps pauses after they end, and an index to count all accounts' ended jobs by time. */
export function incidents({ kind, int, uuid, strict }: Dialect): string[] {
  return [
    `create table incidents (
      id ${uuid} primary key,
      scope text not null,
      reason text,
      began_at ${int} not null,
      until ${int},
      ended_at ${int},
      changed_at ${int} not null
    ) ${strict}`,
    // Copies existing pauses, except those of single accounts (whose scope is a UUID), which are no incidents.
    `insert into incidents (id, scope, reason, began_at, until, ended_at, changed_at)
      select ${newId[kind]}, scope, reason, created_at, until, null, created_at from pauses
      where scope not like '________-____-____-____-____________'`,
    'create index incidents_by_time on incidents (began_at)',
    'create index activity_by_slot on activity (slot_ms, slot)',
  ];
}

const newId = {
  postgres: 'gen_random_uuid()',
  sqlite: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
    || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
};
