import type { Database } from '../../db/database.ts';
import { readSetting, writeSetting } from '../../db/settings-store.ts';
import { SettingError } from '../../errors.ts';
import type { Log } from '../../std/log.ts';
import { createSealer, type Sealer } from '../../std/sealer.ts';
import { renewSeals } from './secret-store.ts';

const purpose = 'darkroom webhook secrets';
/** The id of the current key, so that no process seals with a secret that the others do not have. */
const setting = 'webhook_seal_key';

/**
 * For a server: reseals every secret with the current key, so that an older one can be removed at the next
 * start.
 */
export async function openSealer(secrets: readonly string[], database: Database, log: Log): Promise<Sealer> {
  const sealer = createSealer(secrets, purpose);
  await database.transaction((tx) => writeSetting(tx, setting, sealer.keyIds[0]));
  const { renewed, unreadable } = await renewSeals(database, sealer);
  if (renewed > 0) log.info('webhook_secrets.renewed', { secrets: renewed });
  if (unreadable > 0) log.warn('webhook_secrets.unreadable', { secrets: unreadable });
  return sealer;
}

/**
 * For a command beside a server. @throws SettingError when the server could not open what the command seals
 */
export async function openSealerBeside(secrets: readonly string[], database: Database): Promise<Sealer> {
  const sealer = createSealer(secrets, purpose);
  const current = await readSetting(database.read, setting);
  if (current === undefined || sealer.keyIds.includes(current)) return sealer;
  throw new SettingError(
    'DARKROOM_SECRET is not the one that the server runs with. Set it for this command as it is set for the server.',
  );
}
