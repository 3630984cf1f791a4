import type { Database } from '../base/db/database.ts';
import { readOrClaim } from '../base/db/settings-store.ts';
import { newToken } from '../base/std/ids.ts';
import { lastSeqOfAll } from '../notify/webhooks/event-store.ts';

/**
 * The key of opaque ids and cursors. It is the database's own and lies open in it: it hides numbers from those who do not see the
 * database, and outlives the secret, since ids are for ever.
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
