import type { Database } from '../base/db/database.ts';
import { readOrClaim } from '../base/db/settings-store.ts';
import { newToken } from '../base/std/ids.ts';
import { lastSeqOfAll } from '../notify/webhooks/event-store.ts';

/** The key for opaque ids and cursors. It is stored in clear text: anyone with the database sees the numbers anyway. */
export function openOpaqueKey(database: Database): Promise<string> {
  return readOrClaim(database, 'opaque_key', async () => newToken());
}

/** The number of the last event before cursors were first sealed. Clients may have older positions as plain numbers. */
export async function readLastPlainPosition(database: Database): Promise<number> {
  return Number(
    await readOrClaim(database, 'last_plain_position', async (tx) => String(await lastSeqOfAll(tx))),
  );
}
