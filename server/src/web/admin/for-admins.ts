import Type from 'typebox';
import { accountOf, livingAccountOf } from '../../accounts/account-of.ts';
import type { Database } from '../../base/db/database.ts';
import type { AccountCall, AccountRow, Asked } from '../api/account-call.ts';
import type { AdminRow } from '../api/installation-call.ts';
import { installationCall } from '../api/installation-call.ts';
import { accountParams } from '../api/nouns/accounts/account-json.ts';

/**
 * Turns an account's call into an admin call. Puts the account into its path, unless the path already names something
 * that has an owner (`isOwned`).
 */
export function forAdmins(
  row: AccountRow,
  { database, isOwned }: { database: Database; isOwned: (path: string) => boolean },
): AdminRow[] {
  const { method, access, call } = row;
  const { ownerOf, makes, ...described } = call;
  const { scope } = access;
  if (scope === null) return [];
  const below = (path: string) => (isOwned(path) ? path : `/accounts/:account${path}`);
  const find = method === 'GET' ? accountOf : livingAccountOf;
  const accountIdOf = async (params: Asked['params']) => {
    if (ownerOf) return ownerOf(database.read, params);
    const { account } = params as { account: string }; // its path has it
    return (await find(database.read, account)).id;
  };
  const one: AdminRow = {
    ...{ method, path: below(row.path), scope },
    // Reading needs the same right as in the account, such as `see_pictures`. Changing needs the operators' usual
    // right.
    right: method === 'GET' ? access.right : undefined,
    call: installationCall({
      ...described,
      ...(makes !== undefined && { makes: below(makes) }),
      // The account in the path may not exist.
      errors: [...new Set([...(call.errors ?? []), 'not_found' as const])],
      params: ownerOf
        ? paramsOf(call)
        : Type.Object({ ...accountParams.properties, ...paramsOf(call).properties }),
      handle: async ({ hasScope, by, body, params, query }) =>
        call.handle({
          ...{ by, body, params, query },
          accountId: await accountIdOf(params),
          may: (right) => right !== 'see_pictures' || hasScope('accounts'),
        }),
    }),
  };
  return [one];
}

function paramsOf({ params = Type.Object({}) }: AccountCall) {
  return params;
}
