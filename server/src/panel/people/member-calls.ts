import { insertAuditEntry } from '../../accounts/audit-store.ts';
import { findMembership, listMembers, setMemberRole } from '../../accounts/people/people-store.ts';
import { memberRoles } from '../../accounts/people/roles.ts';
import type { Queries } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { isUuid } from '../../std/ids.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { presentPerson } from './present-session.ts';

/** The members of an account, and what they may do. */
export function memberCalls({ database }: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/members', {
      handle: ({ params }) => readMembers(database.read, params.account_id),
    }),

    panelCall('POST /panel/accounts/:account_id/members/:person_id/role', {
      body: closed({ role: oneOf(memberRoles) }),
      handle: ({ params, body: { role }, viewer }) =>
        database.transaction(async (tx) => {
          const { account_id: accountId, person_id: personId } = params;
          const before = isUuid(personId) ? await findMembership(tx, { accountId, personId }) : undefined;
          if (!before) throw new AppError('not_found', 'There is no such member.');
          if (personId === viewer.personId && !viewer.operator)
            throw new AppError(
              'invalid_request',
              'Your own role is for another owner, or an operator, to change.',
            );
          if (before.role !== role) {
            await setMemberRole(tx, { accountId, personId, role });
            const detail = { before: before.role, role };
            await insertAuditEntry(tx, viewer, {
              action: 'member.role_changed',
              accountId,
              subject: personId,
              detail,
            });
          }
          return readMembers(tx, accountId);
        }),
    }),
  ];
}

async function readMembers(queries: Queries, accountId: string) {
  const members = await listMembers(queries, accountId);
  return { data: members.map(({ role, ...person }) => ({ ...presentPerson(person), role })) };
}
