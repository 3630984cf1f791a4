import type { Screen } from '../api/screens/screen.ts';
import { screens } from '../api/screens/screens.ts';
import { installationRight } from '../api/sessions.ts';
import { clientGone } from '../http/client-gone.ts';
import { grantCalls } from './keys/grant-calls.ts';
import { usageCalls } from './money/usage-calls.ts';
import { auditCalls } from './operator/audit-calls.ts';
import { systemCalls } from './operator/system-calls.ts';
import { overviewCalls } from './overview/overview-calls.ts';
import { accessOf, type PanelCall } from './panel-call.ts';
import type { PanelDeps } from './panel-deps.ts';
import { oidcCalls } from './people/oidc-calls.ts';
import { sessionCalls } from './people/session-calls.ts';
import { signInCalls } from './people/sign-in-calls.ts';

/** Every call of the panel, as its contract lists them. */
export function panelCalls(deps: PanelDeps): PanelCall[] {
  return [
    ...signInCalls(deps),
    ...sessionCalls(deps),
    ...oidcCalls(deps),
    ...overviewCalls(deps),
    ...grantCalls(deps),
    ...usageCalls(deps),
    ...screens(deps).map(ofScreen),
    ...systemCalls(deps),
    ...auditCalls(deps),
  ];
}

function ofScreen({ method, path, right, body, query, handle }: Screen): PanelCall {
  return {
    method: method as PanelCall['method'], // those that `screen` takes
    path,
    access: accessOf(path),
    right: right ?? installationRight(method),
    ...{ body, query, takesFile: false, idempotency: undefined },
    handle: ({ viewer: by, params, body, query, reply }) =>
      handle({ by, params, body, query: query ?? {}, left: () => clientGone(reply) }),
  };
}
