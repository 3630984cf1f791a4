import Type from 'typebox';
import type { Account } from '../accounts/account-store.ts';
import type { AuditEntry } from '../accounts/audit-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { creditAccount } from '../accounts/credit-account.ts';
import { disableAccount, enableAccount } from '../accounts/disable-account.ts';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { formatMicros, parseMicros } from '../ledger/money.ts';
import { isUuid } from '../std/ids.ts';
import { presentAccount, readAccount, readAccountDetail, readAccountRow } from './operator-account.ts';
import { listCountedAccounts } from './operator-account-store.ts';
import type { PanelDeps } from './panel-deps.ts';

const maxListed = 500;
const object = (fields: Parameters<typeof Type.Object>[0]) =>
  Type.Object(fields, { additionalProperties: false });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Accounts and their money, for operators. */
export function operatorAccountRoutes(deps: PanelDeps): PanelRoute[] {
  const { database, clock } = deps;
  return [
    panelCall('GET /panel/operator/accounts', {
      query: object({ search: Type.Optional(Type.String({ maxLength: 100 })) }),
      async handle({ query }) {
        const search = query.search?.trim();
        const filter =
          search === undefined || search === '' ? {} : isUuid(search) ? { id: search } : { name: search };
        return {
          data: (await listCountedAccounts(database.read, { ...filter, limit: maxListed })).map(
            presentAccount,
          ),
        };
      },
    }),

    panelCall('POST /panel/operator/accounts', {
      body: object({ name: text(100), credit: Type.Optional(text(20)), reason: Type.Optional(text(500)) }),
      async handle({ body: { name, credit, reason }, audited }) {
        const creditMicros = credit === undefined ? 0n : readAmount('/credit', credit);
        const describe = ({ id }: Account): AuditEntry => ({
          action: 'account.created',
          accountId: id,
          subject: id,
          detail: { name, credit: formatMicros(creditMicros), reason: reason ?? null },
        });
        const { id } = await createAccount(
          { database: audited(describe), clock },
          { name, creditMicros, ...(reason && { reason }) },
        );
        return readAccount(database, id);
      },
    }),

    panelCall('GET /panel/operator/accounts/:account_id', {
      handle: ({ params }) => readAccountDetail(database, params.account_id),
    }),

    panelCall('POST /panel/operator/accounts/:account_id/credit', {
      body: object({ amount: text(20), reason: text(500) }),
      async handle({ params, body: { amount, reason }, audited }) {
        const { id } = await readAccountRow(database, params.account_id);
        const amountMicros = readAmount('/amount', amount);
        const detail = { amount: formatMicros(amountMicros), reason };
        const crediting = audited(() => ({ action: 'account.credited', accountId: id, subject: id, detail }));
        await creditAccount({ database: crediting }, { account: id, amountMicros, reason });
        return readAccount(database, id);
      },
    }),

    panelCall('POST /panel/operator/accounts/:account_id/disable', {
      body: object({ reason: text(500) }),
      async handle({ params, body: { reason }, audited }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        const entry = { action: 'account.disabled', accountId, subject: accountId, detail: { reason } };
        await disableAccount({ database: audited(() => entry) }, { accountId, reason });
        return readAccount(database, accountId);
      },
    }),

    panelCall('POST /panel/operator/accounts/:account_id/enable', {
      async handle({ params, audited }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        const entry = { action: 'account.enabled', accountId, subject: accountId, detail: {} };
        await enableAccount({ database: audited(() => entry) }, { accountId });
        return readAccount(database, accountId);
      },
    }),
  ];
}

function readAmount(pointer: string, amount: string): bigint {
  const micros = parseMicros(amount);
  if (micros !== undefined) return micros;
  const detail = 'must be an amount such as 10 or 0.50.';
  throw new AppError('invalid_request', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
}
