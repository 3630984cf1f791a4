import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { bareHost, portOf } from '../guard/check-url.ts';
import { createOwnServices, type OwnServices } from '../guard/own-services.ts';

/**
 * What URLs from clients must not reach, even in a network that was opened for them: the database, and
 * self-hosted image servers, which authenticate no one and would show one customer's images to another.
 * Hosted providers require a key. So does an object store, except for what is meant to be public.
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
