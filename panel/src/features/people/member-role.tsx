import type { MemberRole, MemberRow } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useSend } from '../../api/queries.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { roleOption } from './role-field.tsx';

export const memberRoles: readonly MemberRole[] = ['owner', 'developer', 'billing', 'viewer'];

/** Shows what a member may do, and changes it. */
export function MemberRoleSelect({ accountId, person }: { accountId: string; person: MemberRow }) {
  const send = useSend('PATCH /api/v1/members/:person_id', ['GET /api/v1/members']);
  const params = { account_id: accountId, person_id: person.person_id };
  return (
    <>
      <NativeSelect
        size="xs"
        miw={112}
        aria-label={`Role of ${person.name}`}
        data={memberRoles.map(roleOption)}
        value={person.role}
        disabled={send.isPending}
        onChange={
          (event) => send.mutate({ params, body: { role: event.currentTarget.value as MemberRole } }) // one of the data
        }
      />
      {send.error && <ProblemAlert error={send.error} />}
    </>
  );
}
