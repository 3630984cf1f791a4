import type { Dialect } from './dialect.ts';

/** Token buckets of all processes. A crash loses at most a minute's count, so on PostgreSQL the table is unlogged. */
export function rates({ kind, int, clustered }: Dialect): string[] {
  return [
    `create ${kind === 'postgres' ? 'unlogged ' : ''}table rates (
      id text primary key,
      micros ${int} not null,
      burst ${int} not null,
      per_second ${int} not null,
      asked ${int} not null,
      at ${int} not null
    ) ${clustered}`,
  ];
}
