import Type from 'typebox';
import {
  changeMemberRole,
  removeMember,
  transferOwnership,
} from '../../../../accounts/people/member-changes.ts';
import { listMembers } from '../../../../accounts/people/people-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { closed } from '../../../../base/http/schemas.ts';
import { AppError } from '../../../../errors.ts';
import { accountCall } from '../../account-call.ts';
import { currentPassword, ownPassword, proveForOwner, toMakeOwner } from './own-password.ts';
import { memberRole, memberSchema, presentMember } from './person-json.ts';

const tag = 'Members';
const personParams = Type.Object({ person_id: Type.String() });
const memberList = Type.Object({ data: Type.Array(memberSchema) }, { title: 'MemberList' });

export function memberCalls(deps: { database: Database }) {
  const read = async (accountId: string) => ({
    data: (await listMembers(deps.database.read, accountId)).map(presentMember),
  });
  return {
    list: accountCall({
      tag,
      operationId: 'listMembers',
      summary: 'List the members of an account',
      reply: memberList,
      handle: ({ accountId }) => read(accountId),
    }),

    change: accountCall({
      tag,
      operationId: 'changeMemberRole',
      summary: 'Give a member another role',
      description: toMakeOwner,
      params: personParams,
      body: closed({ role: memberRole, current_password: currentPassword }, { title: 'RoleChange' }),
      reply: memberList,
      errors: ['not_found', 'sign_in_refused'],
      async handle({ accountId, by, params: { person_id: personId }, body, ...asking }) {
        const keepsOwner = !asking.may('operate');
        if (personId === by.personId && keepsOwner) throw ownRole();
        await proveForOwner(asking, body);
        await changeMemberRole(deps, { accountId, personId, role: body.role, keepsOwner }, by);
        return read(accountId);
      },
    }),

    remove: accountCall({
      tag,
      operationId: 'removeMember',
      summary: 'Remove a member',
      description: 'Keys that they created stay. Only an operator can remove the last owner.',
      params: personParams,
      status: 204,
      reply: Type.Null({ description: 'The person is not a member.' }),
      errors: ['not_found'],
      async handle({ accountId, by, may, params: { person_id: personId } }) {
        await removeMember(deps, { accountId, personId, keepsOwner: !may('operate') }, by);
        return null;
      },
    }),

    transfer: accountCall({
      tag,
      operationId: 'transferOwnership',
      summary: 'Hand the account over to a member',
      description:
        'Makes the member its owner, and you a developer. Needs `current_password`; from a person without a password, a session of at most 15 minutes.',
      params: personParams,
      body: ownPassword,
      reply: memberList,
      errors: ['not_found', 'sign_in_refused'],
      async handle({ accountId, by, prove, params: { person_id: personId }, body }) {
        await prove?.(body.current_password);
        await transferOwnership(deps, { accountId, personId }, by);
        return read(accountId);
      },
    }),
  };
}

function ownRole(): AppError {
  return new AppError('invalid_request', 'Only another owner, or an operator, can change your role.');
}
