import { randomBytes } from 'node:crypto';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import { claimSetting, readSetting } from '../base/db/settings-store.ts';
import { lastSeqOfAll } from '../notify/webhooks/event-store.ts';

/**
 * The key of opaque ids and cursors. It is the database's own and lies open in it: it hides numbers from those who do not see the
 * database, and outlives the secret, since ids are for ever.
 */
export function openOpaqueKey(database: Database): Promise<string> {
  return readOrClaim(database, 'opaque_key', async () => randomBytes(32).toString('base64url'));
}

/** The last event when a server first sealed cursors: positions up to it may have been given out as plain numbers. */
export async function readLastPlainPosition(database: Database): Promise<number> {
  return Number(
    await readOrClaim(database, 'last_plain_position', async (tx) => String(await lastSeqOfAll(tx))),
  );
}

async function readOrClaim(
  database: Database,
  name: string,
  make: (tx: Tx) => Promise<string>,
): Promise<string> {
  const known = await readSetting(database.read, name);
  if (known !== undefined) return known;
  await database.transaction(async (tx) => claimSetting(tx, name, await make(tx)));
  return readOrClaim(database, name, make);
}
