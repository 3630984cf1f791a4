import Type from 'typebox';
import { accountOf, countedAccountOf } from '../../../../accounts/account-of.ts';
import { listAccountPage } from '../../../../accounts/account-store.ts';
import { createAccount } from '../../../../accounts/create-account.ts';
import { disableAccount, enableAccount } from '../../../../accounts/disable-account.ts';
import { maxNameLength } from '../../../../accounts/name.ts';
import { assignPriceGroup } from '../../../../accounts/price-groups/assign-price-group.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage } from '../../../../base/http/cursor.ts';
import { idempotencyHeader } from '../../../../base/http/request-headers.ts';
import {
  amountGiven,
  closed,
  flag,
  named,
  nullable,
  page,
  pageQuery,
} from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import type { Sealer } from '../../../../base/std/sealer.ts';
import { readAmount } from '../../../../money/ledger/read-amount.ts';
import { replaceEndpoint } from '../../../../notify/webhooks/endpoints/change-endpoint.ts';
import { assertTarget, type CheckTarget } from '../../../../notify/webhooks/webhook-target.ts';
import { installationCall } from '../../installation-call.ts';
import { accountParams, accountSchema, presentAccount } from './account-json.ts';

export interface AccountCallDeps {
  database: Database;
  clock: Clock;
  checkTarget: CheckTarget;
  /** Opened on demand, because only some calls need the server's secret. */
  openSealer(): Promise<Sealer>;
  followChanges(): Promise<void>;
}

const tag = 'Accounts';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function accountCalls(deps: AccountCallDeps) {
  const { database } = deps;
  const read = async (account: string) => presentAccount(await countedAccountOf(database.read, account));
  return {
    list: installationCall({
      tag,
      operationId: 'listAccounts',
      summary: 'List the accounts, newest first',
      query: pageQuery({
        q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the name, or an id.' })),
        owing: Type.Optional(flag('`true`: only accounts that owe.')),
      }),
      formerNames: { search: 'q' },
      reply: page('AccountList', named(accountSchema)),
      handle({ query: { q: search, owing, ...query } }) {
        const filter = { search, isOwing: owing === 'true' };
        return readPage(
          query,
          (slice) => listAccountPage(database.read, { ...filter, ...slice }),
          presentAccount,
        );
      },
    }),

    create: installationCall({
      tag,
      operationId: 'createAccount',
      summary: 'Make an account',
      description:
        'Names are unique. With an `Idempotency-Key`, a repeat of the same request returns the account that the first one created. A first credit also needs the scope `money`.',
      headers: idempotencyHeader('One for each account.'),
      body: closed(
        {
          name: Type.String({ minLength: 1, maxLength: maxNameLength, examples: ['acme'] }),
          credit: Type.Optional(amountGiven('The first credit.')),
          webhook: Type.Optional(
            Type.String({ maxLength: 2_000, description: 'The address for its events.' }),
          ),
        },
        { title: 'NewAccount' },
      ),
      status: 201,
      idempotency: 'handled',
      makes: '/accounts/:account_id',
      reply: named(accountSchema),
      errors: ['idempotency_key_reused'],
      async handle({ by, body: { name, credit, webhook: url }, idempotencyKey, assertScope }) {
        if (credit !== undefined) assertScope('money');
        const creditMicros = credit === undefined ? 0n : readAmount('/credit', credit);
        // The URL is checked before the account is created, so that a wrong URL leaves no account.
        if (url !== undefined) assertTarget(deps.checkTarget, url);
        const sealer = url === undefined ? undefined : await deps.openSealer();
        const { id: account } = await createAccount(deps, { name, creditMicros, idempotencyKey }, by);
        if (url !== undefined && sealer) await replaceEndpoint({ ...deps, sealer }, { account, url }, by);
        return read(account);
      },
    }),

    get: installationCall({
      tag,
      operationId: 'getAccount',
      summary: 'Read an account',
      params: accountParams,
      reply: named(accountSchema),
      errors: ['not_found'],
      handle: ({ params }) => read(params.account),
    }),

    change: installationCall({
      tag,
      operationId: 'changeAccount',
      summary: 'Put an account into a price group',
      description: 'Later jobs are charged by the group; jobs that were already accepted keep their price.',
      params: accountParams,
      body: closed(
        {
          price_group: nullable(
            Type.String({ maxLength: 64, description: 'Null: the prices of the models.' }),
          ),
        },
        { title: 'AccountChanges' },
      ),
      reply: named(accountSchema),
      errors: ['not_found'],
      async handle({ by, params, body: { price_group: group } }) {
        await assignPriceGroup(deps, { account: params.account, group }, by);
        await deps.followChanges();
        return read(params.account);
      },
    }),

    disable: installationCall({
      tag,
      operationId: 'disableAccount',
      summary: 'Disable an account',
      description:
        'Its keys are refused, and its members can only read. Unfinished jobs finish and are settled.',
      params: accountParams,
      body: closed(
        {
          reason: Type.String({
            minLength: 1,
            maxLength: 500,
            description: 'A reason that its members read.',
          }),
        },
        { title: 'Disabling' },
      ),
      reply: named(accountSchema),
      errors: ['not_found'],
      async handle({ by, params, body: { reason } }) {
        const { id: accountId } = await accountOf(database.read, params.account);
        await disableAccount(deps, { accountId, reason }, by);
        return read(accountId);
      },
    }),

    enable: installationCall({
      tag,
      operationId: 'enableAccount',
      summary: 'Enable an account again',
      params: accountParams,
      reply: named(accountSchema),
      errors: ['not_found', 'body_too_large'],
      async handle({ by, params }) {
        const { id: accountId } = await accountOf(database.read, params.account);
        await enableAccount(deps, { accountId }, by);
        return read(accountId);
      },
    }),
  };
}
