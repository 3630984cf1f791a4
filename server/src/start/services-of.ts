import type { Database } from '../base/db/database.ts';
import { bareHost, portOf } from '../base/guard/check-url.ts';
import { createOwnServices, type OwnService, type OwnServices } from '../base/guard/own-services.ts';
import type { RouteSettings } from '../jobs/routes/open-routes.ts';

/**
 * Services that clients' URLs must not reach, even in a network that was opened for clients: the database, and
 * self-hosted image servers, which would show one customer's images to another. Hosted providers and object stores are
 * left out, because they require keys.
 */
export function servicesOf(database: Database, listRoutes: () => readonly RouteSettings[]): OwnServices {
  const own = database.servers;
  let known: readonly RouteSettings[] | undefined;
  let services: readonly OwnService[] = own;
  return createOwnServices(() => {
    const routes = listRoutes();
    if (routes !== known) services = [...own, ...providersOf(routes)];
    known = routes;
    return services;
  });
}

function providersOf(routes: readonly RouteSettings[]): OwnService[] {
  const addresses = new Set(
    routes.map(({ settings }) => ('baseUrl' in settings ? settings.baseUrl : undefined)),
  );
  const urls = [...addresses].flatMap((address) => URL.parse(address ?? '') ?? []);
  return urls.map((url) => ({ host: bareHost(url.hostname), port: portOf(url), onlyIfOpen: true }));
}
