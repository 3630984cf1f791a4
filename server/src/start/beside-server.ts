import type { Database } from '../base/db/database.ts';
import { createGuard, type Guard } from '../base/guard/guard.ts';
import { createOwnServices } from '../base/guard/own-services.ts';
import type { Sealer } from '../base/std/sealer.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import { listConnections } from '../upstream/connections/connection-store.ts';
import { createCredentialSealer, readConnections } from '../upstream/connections/read-connections.ts';
import { openSecrets } from './judge-secret.ts';
import { servicesOf } from './services-of.ts';

/** The guard that a server with this configuration would have. */
export function guardBeside(config: Config, database: Database | null): Guard {
  const { host, port, publicUrl, cdnUrl } = config.http;
  return createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => [{ address: host, port }],
    ownUrls: () => [publicUrl, cdnUrl].filter((url) => url !== null),
    ownServices: database ? servicesOf(database, () => config.routes) : createOwnServices(() => []),
  });
}

/** Opens the server's secret only if a connection is stored. */
export function connectionsBeside(
  config: Config,
  database: Database,
): {
  openCredentialSealer(): Promise<Sealer>;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
} {
  const openCredentialSealer = async () => createCredentialSealer(await openSecrets(config, database));
  return {
    openCredentialSealer,
    async readConnections() {
      const isEmpty = (await listConnections(database.read)).length === 0;
      if (isEmpty) return config.connections;
      return readConnections(database.read, await openCredentialSealer(), config.connections);
    },
  };
}
