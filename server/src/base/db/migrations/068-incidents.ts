import type { Dialect } from './dialect.ts';

/** Pauses of everything and of models, kept after they end; and outcomes of all accounts together, for whoever looks at them by time. */
export function incidents({ int, uuid, strict }: Dialect): string[] {
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
    'create index incidents_by_time on incidents (began_at)',
    'create index activity_by_slot on activity (slot_ms, slot)',
  ];
}
