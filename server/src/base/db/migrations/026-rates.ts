import type { Dialect } from './dialect.ts';

/**
 * Token buckets for request rates, shared by all processes. Their loss costs only a minute's count, so PostgreSQL does
 * not log them. SQLite's only process has them in memory.
 */
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
