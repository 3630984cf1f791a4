import { clientGone } from '../../base/http/client-gone.ts';
import type { Screen } from '../api/screens/screen.ts';
import { screens } from '../api/screens/screens.ts';
import { installationRight } from '../api/sessions.ts';
import { accessOf, type PanelCall } from './panel-call.ts';
import type { PanelDeps } from './panel-deps.ts';
import { oidcCalls } from './people/oidc-calls.ts';
import { passkeyCalls } from './people/passkey-calls.ts';
import { sessionCalls } from './people/session-calls.ts';
import { signInCalls } from './people/sign-in-calls.ts';
import { signUpCalls } from './people/sign-up-calls.ts';

export function panelCalls(deps: PanelDeps): PanelCall[] {
  return [
    ...signInCalls(deps),
    ...passkeyCalls(deps),
    ...signUpCalls(deps),
    ...sessionCalls(deps),
    ...oidcCalls(deps),
    ...screens(deps).map(ofScreen),
  ];
}

function ofScreen({ method, path, right, body, query, handle }: Screen): PanelCall {
  return {
    method: method as PanelCall['method'], // `screen` accepts only these
    path,
    ...accessOf(path, right ?? installationRight(method)),
    ...{ body, query },
    handle: ({ viewer: by, params, body, query, reply }) =>
      handle({ by, params, body, query: query ?? {}, left: () => clientGone(reply) }),
  };
}
