import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Queries, Tx } from './schema.ts';

/** Returns false if the setting exists already, and leaves it unchanged. */
export async function claimSetting(tx: Tx, name: string, value: string): Promise<boolean> {
  const result = await tx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function writeSetting(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Replaces a setting if it has the expected value. Returns false if it has changed. */
export async function replaceSetting(
  tx: Tx,
  name: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('settings')
    .set({ value: to })
    .where('name', '=', name)
    .where('value', '=', from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteSetting(tx: Tx, name: string, value: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('settings')
    .where('name', '=', name)
    .where('value', '=', value)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function readSetting(queries: Queries, name: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

export function settingOf(name: string): RawBuilder<string | null> {
  return sql`select value from settings where name = ${name}`;
}

/** Reads a setting that is created once. If several processes create it, all get the same value. */
export async function readOrClaim(
  database: Database,
  name: string,
  make: (tx: Tx) => Promise<string>,
): Promise<string> {
  const known = await readSetting(database.read, name);
  if (known !== undefined) return known;
  await database.transaction(async (tx) => claimSetting(tx, name, await make(tx)));
  return readOrClaim(database, name, make);
}

/** Reads when this database was created, in milliseconds since the epoch. */
export async function readBirth(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('migrations')
    .select('applied_at')
    .where('version', '=', 1)
    .executeTakeFirstOrThrow();
  return row.applied_at;
}
