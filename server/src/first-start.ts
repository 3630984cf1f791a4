import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insertAccountIfNew } from './accounts/account-store.ts';
import { hashApiKey, hintOf, isWellFormedKey, makeApiKey } from './accounts/api-key.ts';
import { findKeysByHash, insertKey } from './accounts/key-store.ts';
import type { Database } from './db/database.ts';
import { claimSetting, readSetting } from './db/settings-store.ts';
import { post } from './ledger/ledger-store.ts';
import type { Clock } from './std/clock.ts';
import { newId } from './std/ids.ts';

const demoCreditMicros = 100_000_000n;
const demoName = 'demo';

/** What the command line finds beside the database, so that it works without being told anything. */
interface ClientFile {
  url: string;
  key: string;
}

export interface Demo {
  /** In full on the first start of this installation only. */
  key: string | null;
  hint: string | null;
  file: string;
}

/**
 * On the first start: a demo account with credit and a key. The key is written to `client.json` before the database
 * knows it, so that a kill in between loses nothing: the next start takes the key from the file.
 */
export async function ensureDemo(
  { database, clock }: { database: Database; clock: Clock },
  { dataDir, url }: { dataDir: string; url: string },
): Promise<Demo> {
  const file = join(dataDir, 'client.json');
  const known = await readClientFile(file);
  const key = known && isWellFormedKey(known.key) ? known.key : makeApiKey();

  if ((await readSetting(database.read, demoSetting)) === undefined) {
    await writeClientFile(file, { url, key });
    if (await createDemo(database, clock, key)) return { key, hint: hintOf(key), file };
  }
  if (!known) return { key: null, hint: null, file };
  if (known.url !== url) await writeClientFile(file, { ...known, url });
  const [registered] = await findKeysByHash(database.read, [hashApiKey(known.key)]);
  return { key: null, hint: registered ? registered.hint : null, file };
}

const demoSetting = 'demo_account';

/** False when another process was faster, or the name is taken. */
async function createDemo(database: Database, clock: Clock, key: string): Promise<boolean> {
  const accountId = newId(clock.nowMs());
  return database.transaction(async (tx) => {
    if (!(await claimSetting(tx, demoSetting, accountId))) return false;
    if (!(await insertAccountIfNew(tx, { id: accountId, name: demoName }))) return false;
    await post(tx, [
      { accountId, kind: 'credit', amountMicros: demoCreditMicros, jobId: null, reason: 'demo credit' },
    ]);
    await insertKey(tx, {
      id: newId(clock.nowMs()),
      accountId,
      name: 'demo',
      hash: hashApiKey(key),
      hint: hintOf(key),
      models: null,
      expiresAt: null,
    });
    return true;
  });
}

async function readClientFile(file: string): Promise<ClientFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ClientFile; // written below; a key that is none is replaced
  } catch {
    return undefined;
  }
}

async function writeClientFile(file: string, content: ClientFile): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, file);
}
