import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Log } from '../../base/std/log.ts';
import { createSealer, type Sealer } from '../../base/std/sealer.ts';
import type { Connection } from './connection.ts';
import { listConnections, renewCredentials } from './connection-store.ts';

const purpose = 'darkroom connection credentials';

/** Seals every credential again at startup, so that operators can drop older secrets. */
export async function openCredentialSealer(
  secrets: readonly string[],
  database: Database,
  log: Log,
): Promise<Sealer> {
  const sealer = createCredentialSealer(secrets);
  const unreadable = await database.transaction((tx) => renewCredentials(tx, sealer));
  for (const connection of unreadable) log.warn('connection.unreadable', { connection });
  return sealer;
}

export function createCredentialSealer(secrets: readonly string[]): Sealer {
  return createSealer(secrets, purpose);
}

/**
 * Reads all connections. The file's connections win, because operators keep the file in git. Omits credentials that no
 * secret opens.
 */
export async function readConnections(
  queries: Queries,
  sealer: Sealer,
  ofFile: ReadonlyMap<string, Connection>,
): Promise<ReadonlyMap<string, Connection>> {
  const stored = (await listConnections(queries)).map(
    ({ name, provider, baseUrl, credential: sealed }): [string, Connection] => {
      const credential = sealed === null ? undefined : sealer.open(sealed, name);
      return [
        name,
        {
          name,
          provider,
          ...(baseUrl !== null && { baseUrl }),
          ...(credential !== undefined && { credential }),
          source: 'operator',
        },
      ];
    },
  );
  return new Map([...stored, ...ofFile]);
}
