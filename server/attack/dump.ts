import { sql } from 'kysely';
import type { Database } from '../src/base/db/database.ts';

/** All stored data: for each table, its rows as texts. */
export type Dump = ReadonlyMap<string, readonly string[]>;

/** Columns that change by themselves or only record a visit. */
const noise = /^(seen_at|last_used_at|last_used_address|updatedAt|updated_at_of_session)$/;
const ofUpkeep = /^(workers|job_words.*|rate_buckets|elections?)$/;

export async function takeDump({ read, kind }: Database): Promise<Dump> {
  const { rows } = await (kind === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
  ).execute(read);
  const tables = rows.map(({ name }) => name).filter((name) => !ofUpkeep.test(name));
  const contents = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(read);
      return [table, rows.map(write).sort()] as const;
    }),
  );
  return new Map(contents);
}

function write(row: Record<string, unknown>): string {
  const kept = Object.entries(row).filter(([column]) => !noise.test(column));
  return JSON.stringify(Object.fromEntries(kept), (_key, value) =>
    typeof value === 'bigint' ? String(value) : value instanceof Uint8Array ? [...value] : value,
  );
}

export function compareDumps(before: Dump, after: Dump): string[] {
  return [...after].flatMap(([table, rows]) => {
    const old = new Set(before.get(table));
    const now = new Set(rows);
    const changed = [...rows.filter((row) => !old.has(row)), ...[...old].filter((row) => !now.has(row))];
    return changed.map((row) => `${table}: ${row.slice(0, 300)}`);
  });
}
