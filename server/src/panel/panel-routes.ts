import type { PanelRoute } from '../http/panel-call.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { moneyRoutes } from './money-routes.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { operatorAccountRoutes } from './operator-account-routes.ts';
import { operatorModelRoutes } from './operator-model-routes.ts';
import { operatorPeopleRoutes } from './operator-people-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import type { PanelDeps } from './panel-deps.ts';
import { playgroundRoutes } from './playground-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** Every call of the panel, as its contract lists them. */
export function panelRoutes(deps: PanelDeps): PanelRoute[] {
  return [
    ...signInRoutes(deps),
    ...sessionRoutes(deps),
    ...oidcRoutes(deps),
    ...overviewRoutes(deps),
    ...jobRoutes(deps),
    ...playgroundRoutes(deps),
    ...keyRoutes(deps),
    ...moneyRoutes(deps),
    ...usageRoutes(deps),
    ...webhookRoutes(deps),
    ...deliveryRoutes(deps),
    ...operatorAccountRoutes(deps),
    ...operatorPeopleRoutes(deps),
    ...operatorModelRoutes(deps),
    ...systemRoutes(deps),
  ];
}
