import type { Actor } from '../audit/audit-store.ts';
import { shownAddress } from '../connections/address.ts';
import { checkConnection, findConnection } from '../connections/check-connection.ts';
import type { Connection } from '../connections/connection.ts';
import { listConnections } from '../connections/connection-store.ts';
import { removeConnection, saveConnection } from '../connections/save-connection.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { toIso } from '../std/iso-time.ts';
import type { Sealer } from '../std/sealer.ts';

export interface ConnectionVerbDeps {
  database: Database;
  guard: Guard;
  /** Of the configuration file. */
  ofFile: ReadonlyMap<string, Connection>;
  openCredentialSealer(): Promise<Sealer>;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  /** Until this process has the newest connections. */
  followChanges(): Promise<void>;
}

export interface ConnectionJson {
  provider: string;
  base_url?: string;
  /** Stored sealed, and never shown again. */
  key?: string;
}

/** Connections to providers, without their credentials. */
export function connectionVerbs(deps: ConnectionVerbDeps, by: Actor) {
  const { database, ofFile } = deps;
  return {
    async addConnection(name: string, { provider, base_url, key }: ConnectionJson) {
      const baseUrl = base_url ?? null;
      if (ofFile.has(name))
        throw new AppError('invalid_request', `The connection ${name} is set by the configuration file.`);
      const credentialSealer = await deps.openCredentialSealer();
      await saveConnection({ database, credentialSealer }, { name, provider, baseUrl, credential: key }, by);
      await deps.followChanges();
      return { name, provider, base_url: baseUrl };
    },

    async listConnections() {
      const stored = (await listConnections(database.read)).filter(({ name }) => !ofFile.has(name));
      return [
        ...[...ofFile.values()].map(({ name, provider, baseUrl, credential }) => ({
          name,
          provider,
          base_url: baseUrl === undefined ? null : shownAddress(baseUrl),
          has_key: credential !== undefined,
          source: 'file' as const,
          changed_at: null,
        })),
        ...stored.map(({ name, provider, baseUrl, credential, changedAt }) => ({
          name,
          provider,
          base_url: baseUrl && shownAddress(baseUrl),
          has_key: credential !== null,
          source: 'operator' as const,
          changed_at: toIso(changedAt),
        })),
      ];
    },

    /** Asks the provider whether it lets us in; makes no image and costs nothing. */
    async checkConnection(name: string) {
      return checkConnection(await findConnection(deps, name), deps.guard);
    },

    async removeConnection(name: string) {
      await removeConnection({ database, credentialSealer: await deps.openCredentialSealer() }, name, by);
      await deps.followChanges();
    },
  };
}
