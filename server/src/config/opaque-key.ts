import type { Database } from '../base/db/database.ts';
import { readOrClaim } from '../base/db/settings-store.ts';
import { newToken } from '../base/std/ids.ts';
import { lastSeqOfAll } from '../notify/webhooks/event-store.ts';

/**
 * The key of opaque ids and cursors. It lies in the database in clear text: it hides numbers only from people without
 * the database. It outlives the secret, since ids never change.
 */
export function openOpaqueKey(database: Database): Promise<string> {
  return readOrClaim(database, 'opaque_key', async () => newToken());
}

/** The last event when a server first sealed cursors: positions up to it may have been given out as plain numbers. */
export async function readLastPlainPosition(database: Database): Promise<number> {
  return Number(
    await readOrClaim(database, 'last_plain_position', async (tx) => String(await lastSeqOfAll(tx))),
  );
}
