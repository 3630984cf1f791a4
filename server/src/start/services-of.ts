import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { bareHost, portOf } from '../guard/check-url.ts';
import { createOwnServices, type OwnServices } from '../guard/own-services.ts';

/**
 * What URLs of strangers must not reach, even where a network was opened for them: the database, and the servers that
 * make images at home, which ask nobody who they are and would show one customer's pictures to another. Hosted providers
 * ask for a key. So does an object store, and what it shows without one is meant to be seen.
 */
export function servicesOf(database: Database, { routes }: Pick<Config, 'routes'>): OwnServices {
  const addresses = new Set(
    routes.map(({ settings }) => ('baseUrl' in settings ? settings.baseUrl : undefined)),
  );
  const providers = [...addresses].flatMap((address) => URL.parse(address ?? '') ?? []);
  return createOwnServices([
    ...(database.server ? [database.server] : []),
    ...providers.map((url) => ({ host: bareHost(url.hostname), port: portOf(url), onlyIfOpen: true })),
  ]);
}
