import Type from 'typebox';
import { createAccount } from '../../accounts/create-account.ts';
import { creditAccount } from '../../accounts/credit-account.ts';
import { disableAccount, enableAccount } from '../../accounts/disable-account.ts';
import { maxNameLength } from '../../accounts/name.ts';
import { invalidField } from '../../errors.ts';
import { closed } from '../../http/schemas.ts';
import { parseMicros } from '../../ledger/money.ts';
import { isUuid } from '../../std/ids.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { presentCounted, readAccount, readAccountDetail, readAccountRow } from './operator-account.ts';
import { listCountedAccounts } from './operator-account-store.ts';

const maxListed = 500;
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Accounts and their money, for operators. */
export function operatorAccountCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/accounts', {
      query: closed({ search: Type.Optional(Type.String({ maxLength: 100 })) }),
      async handle({ query }) {
        const search = query.search?.trim();
        const filter =
          search === undefined || search === '' ? {} : isUuid(search) ? { id: search } : { name: search };
        return {
          data: (await listCountedAccounts(database.reports, { ...filter, limit: maxListed })).map(
            presentCounted,
          ),
        };
      },
    }),

    panelCall('POST /panel/operator/accounts', {
      body: closed({
        name: text(maxNameLength),
        credit: Type.Optional(text(20)),
        reason: Type.Optional(text(500)),
      }),
      async handle({ body: { name, credit, reason }, viewer, idempotencyKey }) {
        const creditMicros = credit === undefined ? 0n : readAmount('/credit', credit);
        const account = { name, creditMicros, idempotencyKey, ...(reason && { reason }) };
        const { id } = await createAccount(deps, account, viewer);
        return readAccount(database, id);
      },
    }),

    panelCall('GET /panel/operator/accounts/:account_id', {
      handle: ({ params }) => readAccountDetail(deps, params.account_id),
    }),

    panelCall('POST /panel/operator/accounts/:account_id/credit', {
      body: closed({ amount: text(20), reason: text(500) }),
      async handle({ params, body: { amount, reason }, viewer, idempotencyKey }) {
        const { id } = await readAccountRow(database, params.account_id);
        const amountMicros = readAmount('/amount', amount);
        const credit = { account: id, amountMicros, reason, idempotencyKey };
        const { entryId } = await creditAccount(deps, credit, viewer);
        return {
          ...(await readAccount(database, id)),
          entry_id: entryId === null ? null : deps.ids.seal('entry', entryId),
        };
      },
    }),

    panelCall('POST /panel/operator/accounts/:account_id/disable', {
      body: closed({ reason: text(500) }),
      async handle({ params, body: { reason }, viewer }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        await disableAccount(deps, { accountId, reason }, viewer);
        return readAccount(database, accountId);
      },
    }),

    panelCall('POST /panel/operator/accounts/:account_id/enable', {
      async handle({ params, viewer }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        await enableAccount(deps, { accountId }, viewer);
        return readAccount(database, accountId);
      },
    }),
  ];
}

function readAmount(pointer: string, amount: string): bigint {
  const micros = parseMicros(amount);
  if (micros !== undefined) return micros;
  throw invalidField(pointer, 'must be an amount such as 10 or 0.50.');
}
