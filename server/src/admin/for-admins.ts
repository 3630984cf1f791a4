import Type from 'typebox';
import { accountOf, livingAccountOf } from '../accounts/account-of.ts';
import type { AccountCall, AccountRow, Asked } from '../api/account-call.ts';
import type { Database } from '../db/database.ts';
import { type AdminRow, adminCall, adminPrefix } from './admin-call.ts';
import { accountParams } from './schemas.ts';

/** A call about an account as admin keys make it, if they may: with the account in its path, unless what it names has an owner. */
export function forAdmins(row: AccountRow, { database }: { database: Database }): AdminRow[] {
  const { method, access, call } = row;
  const { ownerOf, locationOf, ...described } = call;
  const { scope } = access;
  if (scope === null) return [];
  const path = ownerOf ? row.path : `/accounts/:account${row.path}`;
  const find = method === 'GET' ? accountOf : livingAccountOf;
  const accountIdOf = async (params: Asked['params']) => {
    if (ownerOf) return ownerOf(database.read, params);
    const { account } = params as { account: string }; // its path has it
    return (await find(database.read, account)).id;
  };
  const one: AdminRow = {
    ...{ method, path, scope },
    // Whoever looks after the installation sees of an account what its members may, and pictures only where those may be seen.
    right: method === 'GET' ? access.right : undefined,
    call: adminCall({
      ...described,
      // The account of the path may be none.
      errors: [...new Set([...call.errors, 'not_found' as const])],
      params: ownerOf
        ? paramsOf(call)
        : Type.Object({ ...accountParams.properties, ...paramsOf(call).properties }),
      async handle({ hasScope, by, body, params, query }, reply) {
        const accountId = await accountIdOf(params);
        const answer = await call.handle({
          ...{ by, body, params, query, accountId },
          may: (right) => right !== 'see_pictures' || hasScope('accounts'),
        });
        if (locationOf) reply.header('location', adminPrefix + locationOf(answer, `/accounts/${accountId}`));
        return answer;
      },
    }),
  };
  return [one];
}

function paramsOf({ params = Type.Object({}) }: AccountCall) {
  return params;
}
