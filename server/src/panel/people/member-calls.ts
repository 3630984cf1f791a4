import { changeMemberRole } from '../../accounts/people/member-changes.ts';
import { presentMember } from '../../accounts/people/people-json.ts';
import { listMembers } from '../../accounts/people/people-store.ts';
import { memberRoles } from '../../accounts/people/roles.ts';
import type { Queries } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** The members of an account, and what they may do. */
export function memberCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/members', {
      handle: ({ params }) => readMembers(deps.database.read, params.account_id),
    }),

    panelCall('POST /panel/accounts/:account_id/members/:person_id/role', {
      body: closed({ role: oneOf(memberRoles) }),
      async handle({ params, body: { role }, viewer }) {
        const { account_id: accountId, person_id: personId } = params;
        if (personId === viewer.personId && !viewer.operator)
          throw new AppError(
            'invalid_request',
            'Your own role is for another owner, or an operator, to change.',
          );
        await changeMemberRole(deps, { accountId, personId, role }, viewer);
        return readMembers(deps.database.read, accountId);
      },
    }),
  ];
}

async function readMembers(queries: Queries, accountId: string) {
  const members = await listMembers(queries, accountId);
  return { data: members.map(presentMember) };
}
