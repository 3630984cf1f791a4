import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Sealer } from '../../base/std/sealer.ts';
import { AppError, invalidField } from '../../errors.ts';
import { goesTo } from '../providers/given-credentials.ts';
import { connectables, isConnectable } from '../providers/providers.ts';
import { addressMistake, shownAddress } from './address.ts';
import { connectionPattern } from './connection.ts';
import {
  deleteConnection,
  listConnections,
  type StoredConnection,
  writeConnection,
} from './connection-store.ts';

export interface ConnectionDeps {
  database: Database;
  credentialSealer: Sealer;
}

export interface NewConnection {
  name: string;
  provider: string;
  baseUrl: string | null;
  /** Undefined keeps the stored credential, if the address stays the same. */
  credential: string | null | undefined;
}

/** Never sends a stored credential to another address. @throws AppError `invalid_request` */
export async function saveConnection(
  { database, credentialSealer }: ConnectionDeps,
  { name, provider, baseUrl, credential }: NewConnection,
  by: Actor,
): Promise<void> {
  if (!new RegExp(connectionPattern).test(name))
    throw invalidField('/name', 'must have 1 to 40 small letters, digits, dots and hyphens, such as "home".');
  if (!isConnectable(provider)) throw invalidField('/provider', `must be one of ${connectables.join(', ')}.`);
  if (baseUrl !== null) assertAddress(baseUrl);
  await database.transaction(async (tx) => {
    const stored = (await listConnections(tx)).find((connection) => connection.name === name);
    const keeps = credential === undefined && stored?.credential != null;
    const isFor =
      stored?.provider === provider && goesTo(provider, baseUrl ?? undefined, stored.baseUrl ?? undefined);
    if (keeps && !isFor) throw invalidField('/key', 'must be given again for another provider or address.');
    const sealed = keeps ? stored.credential : credential ? credentialSealer.seal(credential, name) : null;
    await writeConnection(tx, { name, provider, baseUrl, credential: sealed, changedBy: by.name });
    await insertAuditEntry(tx, by, {
      action: stored ? 'connection.changed' : 'connection.added',
      accountId: null,
      subject: name,
      detail: {
        provider,
        base_url: baseUrl,
        credential: keeps ? 'kept' : sealed === null ? 'none' : 'set',
        ...(stored && asBefore(stored)),
      },
    });
  });
  database.notify('models');
}

export async function removeConnection({ database }: ConnectionDeps, name: string, by: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const stored = await requireStored(tx, name);
    if (!(await deleteConnection(tx, name))) throw unknown(name);
    const detail = asBefore(stored);
    const entry = { action: 'connection.removed' as const, accountId: null, subject: name, detail };
    await insertAuditEntry(tx, by, entry);
  });
  database.notify('models');
}

/** Finds a connection also if its key is unreadable. @throws AppError `not_found` */
export async function requireStored(queries: Queries, name: string): Promise<StoredConnection> {
  const stored = (await listConnections(queries)).find((connection) => connection.name === name);
  if (!stored) throw unknown(name);
  return stored;
}

function unknown(name: string): AppError {
  return new AppError('not_found', `There is no connection "${name}".`);
}

function asBefore({ provider, baseUrl }: { provider: string; baseUrl: string | null }) {
  return { provider_before: provider, base_url_before: baseUrl && shownAddress(baseUrl) };
}

function assertAddress(text: string): void {
  const mistake = addressMistake(text);
  if (mistake !== undefined) throw invalidField('/base_url', mistake);
}
