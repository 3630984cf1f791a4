import type { Dialect } from '../dialect.ts';

/** Routes that are failing or rate limited, and the pace of routes with a limit per minute. */
export function routes({ int, strict }: Dialect): string[] {
  return [
    // A healthy route has no row.
    `create table route_health (
      route text primary key,
      state text not null check (state in ('open', 'rate_limited', 'rejected')),
      until ${int} not null,
      failures ${int} not null check (failures > 0),
      reason text not null,
      detail text,
      changed_at ${int} not null
    ) ${strict}`,

    `create table route_paces (
      route text primary key,
      busy_until ${int} not null
    ) ${strict}`,
  ];
}
