import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { claimSetting, readSetting, replaceSetting } from '../../base/db/settings-store.ts';

/** Makes or keeps this process the holder of a duty. Returns false while another process holds it. */
export async function isHolder(
  database: Database,
  { of, name, forMs }: { of: string; name: string; forMs: number },
): Promise<boolean> {
  const now = await readNow(database.read);
  const to = `${name} ${now + forMs}`;
  const from = await readSetting(database.read, of);
  if (from === undefined) return database.transaction((tx) => claimSetting(tx, of, to));
  const [holder, until] = from.split(' ');
  const leftMs = Number(until) - now;
  // A longer time was given before the clock was set back.
  if (holder !== name && leftMs > 0 && leftMs <= forMs) return false;
  return database.transaction((tx) => replaceSetting(tx, of, { from, to }));
}
