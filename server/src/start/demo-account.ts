import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { insertAccountIfNew } from '../accounts/account-store.ts';
import { hashApiKey, hintOf, isWellFormedKey, makeApiKey } from '../accounts/api-key.ts';
import { findKeysByHash, insertKey } from '../accounts/key-store.ts';
import type { Database } from '../base/db/database.ts';
import { claimSetting, readSetting } from '../base/db/settings-store.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { replaceFile } from '../base/std/replace-file.ts';
import { writeIfAbsent } from '../base/std/write-if-absent.ts';
import { post } from '../money/ledger/ledger-store.ts';
import { formatMicros } from '../money/ledger/money.ts';

const demoName = 'demo';

interface ClientFile {
  url: string;
  key: string;
}

export interface Demo {
  /** The key; only the first start of this installation returns it. */
  key: string | null;
  hint: string | null;
  credit: string;
  file: string;
}

/** Writes the key to `client.json` before it writes to the database, so that a start after a crash finds it there. */
export async function ensureDemo(
  { database, clock }: { database: Database; clock: Clock },
  { dataDir, url, creditMicros }: { dataDir: string; url: string; creditMicros: bigint | null },
): Promise<Demo> {
  const file = join(dataDir, 'client.json');
  const credit = formatMicros(creditMicros ?? 0n);
  const isFirst = (await readSetting(database.read, demoSetting)) === undefined;
  const isWanted = isFirst && creditMicros !== null;
  const known = isWanted ? await ensureClientFile(file, url) : await readClientFile(file);
  if (isWanted && known && (await createDemo({ database, clock, creditMicros }, known.key))) {
    return { key: known.key, hint: hintOf(known.key), credit, file };
  }
  if (!known) return { key: null, hint: null, credit, file };
  const [registered] = await findKeysByHash(database.read, [hashApiKey(known.key)]);
  // Another machine created the account first. Our key is not registered, so our file would mislead.
  if (isWanted && !registered) await rm(file, { force: true });
  else if (known.url !== url) await writeClientFile(file, { ...known, url });
  return { key: null, hint: registered?.hint ?? null, credit, file };
}

export async function readServedUrl(dataDir: string): Promise<string | undefined> {
  return (await readClientFile(join(dataDir, 'client.json')))?.url;
}

/** Writes the link to a private file, because another program may collect the output of a server without a terminal. */
export async function keepPanelLink(dataDir: string, link: string | null): Promise<string> {
  const file = join(dataDir, 'panel-link.txt');
  if (link === null) await rm(file, { force: true });
  else await replaceFile(file, `${link}\n`);
  return file;
}

const demoSetting = 'demo_account';

/** Returns false if another process was first or the name is taken. */
async function createDemo(
  { database, clock, creditMicros }: { database: Database; clock: Clock; creditMicros: bigint },
  key: string,
): Promise<boolean> {
  const accountId = newId(clock.nowMs());
  return database.transaction(async (tx) => {
    if (!(await claimSetting(tx, demoSetting, accountId))) return false;
    if (!(await insertAccountIfNew(tx, { id: accountId, name: demoName }))) return false;
    await post(tx, [
      { accountId, kind: 'credit', amountMicros: creditMicros, jobId: null, reason: 'demo credit' },
    ]);
    await insertKey(tx, {
      id: newId(clock.nowMs()),
      accountId,
      name: 'demo',
      hash: hashApiKey(key),
      hint: hintOf(key),
      models: null,
      expiresAt: null,
      networks: null,
    });
    return true;
  });
}

async function readClientFile(file: string): Promise<ClientFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ClientFile; // `ensureClientFile` wrote it; an invalid key is replaced
  } catch {
    return undefined;
  }
}

/** Creates the file if it is missing, and returns it, so that processes that start together use the same key. */
async function ensureClientFile(file: string, url: string): Promise<ClientFile> {
  const fresh = { url, key: makeApiKey() };
  await writeIfAbsent(file, toText(fresh));
  const found = await readClientFile(file);
  const key = found && isWellFormedKey(found.key) ? found.key : fresh.key;
  if (found?.key !== key || found.url !== url) await writeClientFile(file, { url, key });
  return { url, key };
}

async function writeClientFile(file: string, content: ClientFile): Promise<void> {
  await replaceFile(file, toText(content));
}

function toText(content: ClientFile): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
