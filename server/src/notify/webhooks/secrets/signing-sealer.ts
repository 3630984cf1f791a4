import type { Database } from '../../../base/db/database.ts';
import type { Log } from '../../../base/std/log.ts';
import { createSealer, type Sealer } from '../../../base/std/sealer.ts';
import { renewSeals } from './secret-store.ts';

const purpose = 'darkroom webhook secrets';

/** Seals every secret again with the current key, so that an older `DARKROOM_SECRET` can be dropped. */
export async function openSealer(secrets: readonly string[], database: Database, log: Log): Promise<Sealer> {
  const sealer = createSigningSealer(secrets);
  const { renewed, unreadable } = await renewSeals(database, sealer);
  if (renewed > 0) log.info('webhook_secrets.renewed', { secrets: renewed });
  if (unreadable > 0) log.warn('webhook_secrets.unreadable', { secrets: unreadable });
  return sealer;
}

export function createSigningSealer(secrets: readonly string[]): Sealer {
  return createSealer(secrets, purpose);
}
