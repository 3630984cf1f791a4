import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import { checkRoute } from '../../jobs/routes/check-route.ts';
import { type Credentials, openRoute, type RouteSettings } from '../../jobs/routes/open-routes.ts';
import { checkConnection } from '../../upstream/connections/check-connection.ts';
import type { Connection } from '../../upstream/connections/connection.ts';
import type { Finding } from './finding.ts';

export interface ConnectionsDeps extends Credentials {
  guard: Guard;
  routes: readonly RouteSettings[];
}

/** Checks each connection without making an image, free of charge. */
export async function checkConnections(deps: ConnectionsDeps): Promise<Finding[]> {
  const byEnvironment = Map.groupBy(
    deps.routes.filter(({ provider, connection }) => provider !== 'sketch' && connection === undefined),
    ({ provider, settings }) => `${provider} ${'baseUrl' in settings ? (settings.baseUrl ?? '') : ''}`,
  );
  const findings = await Promise.all([
    ...[...deps.connections.values()].map((connection) => checkOne(connection, deps.guard)),
    ...[...byEnvironment.values()].flatMap(([route]) => (route ? [checkByRoute(route, deps)] : [])),
  ]);
  if (findings.length > 0) return findings;
  return [{ name: 'connections', status: 'ok', found: 'none: the built-in sketch draws all images' }];
}

async function checkOne(connection: Connection, guard: Guard): Promise<Finding> {
  const name = `connection ${connection.name}`;
  const answer = await checkConnection(connection, guard);
  return answer.ok
    ? { name, status: 'ok', found: `${connection.provider} lets us in` }
    : {
        name,
        status: 'fail',
        found: answer.detail,
        next: `darkroom connection check ${connection.name}, once it is fixed`,
      };
}

async function checkByRoute(settings: RouteSettings, deps: ConnectionsDeps): Promise<Finding> {
  const name = `connection ${settings.provider}`;
  try {
    const route = openRoute(settings, deps, deps.guard);
    const { ok, detail } = await checkRoute(route);
    await route.provider[Symbol.asyncDispose]?.();
    if (ok) return { name, status: 'ok', found: `${settings.provider} lets us in` };
    return {
      name,
      status: 'fail',
      found: `${settings.provider} does not let us in: ${detail}`,
      next: 'check its key and address in the environment, and that this machine may connect to it',
    };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return { name, status: 'fail', found: error.message, next: 'set what is missing' };
  }
}
