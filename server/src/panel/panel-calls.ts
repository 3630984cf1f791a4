import { operatorScreens } from '../api/screens/operator-screens.ts';
import type { Screen } from '../api/screens/screen.ts';
import { jobPageCalls } from './jobs/job-page-calls.ts';
import { playgroundCalls } from './jobs/playground-calls.ts';
import { previewCalls } from './jobs/preview-calls.ts';
import { grantCalls } from './keys/grant-calls.ts';
import { moneyCalls } from './money/money-calls.ts';
import { statementCalls } from './money/statement-calls.ts';
import { usageCalls } from './money/usage-calls.ts';
import { auditCalls } from './operator/audit-calls.ts';
import { operatorPeopleCalls } from './operator/people-calls.ts';
import { systemCalls } from './operator/system-calls.ts';
import { overviewCalls } from './overview/overview-calls.ts';
import type { PanelCall } from './panel-call.ts';
import type { PanelDeps } from './panel-deps.ts';
import { memberCalls } from './people/member-calls.ts';
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
    ...jobPageCalls(deps),
    ...playgroundCalls(deps),
    ...previewCalls(deps),
    ...grantCalls(deps),
    ...memberCalls(deps),
    ...moneyCalls(deps),
    ...statementCalls(deps),
    ...usageCalls(deps),
    ...operatorPeopleCalls(deps),
    ...operatorScreens(deps).map(ofScreen),
    ...systemCalls(deps),
    ...auditCalls(deps),
  ];
}

function ofScreen({ method, path, body, handle }: Screen): PanelCall {
  return {
    ...{
      method: method as PanelCall['method'],
      path,
      access: 'operator',
      body,
      query: undefined,
      takesFile: false,
    },
    idempotency: undefined,
    handle: ({ viewer: by, params, body }) => handle({ by, params, body, query: {} }),
  };
}
