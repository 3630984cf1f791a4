import Type from 'typebox';
import { countedAccountOf } from '../../../../accounts/account-of.ts';
import { creditAccount, type Moved } from '../../../../accounts/credit-account.ts';
import { debitAccount, noSuchCredit } from '../../../../accounts/debit-account.ts';
import { maxReasonLength, maxReferenceLength } from '../../../../accounts/references.ts';
import type { Database } from '../../../../base/db/database.ts';
import { idempotencyHeader } from '../../../../base/http/request-headers.ts';
import { amountGiven, closed, nullable, numberedId } from '../../../../base/http/schemas.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { readAmount } from '../../../../money/ledger/read-amount.ts';
import { tellLowBalances } from '../../../../notify/alerts/tell-low-balances.ts';
import { installationCall } from '../../installation-call.ts';
import { accountParams, accountSchema, presentAccount } from '../accounts/account-json.ts';

export interface CreditCallDeps {
  database: Database;
  ids: OpaqueIds;
}

const tag = 'Money';
const reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: maxReferenceLength,
    description:
      'Your name for the payment, such as the id of a Stripe event. Each is used once per account: a repeat changes nothing, and gets the first answer.',
    examples: ['pi_3MtwBwLkdIwHu7ix28a3tqPa'],
  }),
);
const movedSchema = Type.Object(
  {
    ...accountSchema.properties,
    entry_id: nullable(numberedId('entry'), {
      description: 'The new or existing entry; a debit names it as `corrects`.',
    }),
  },
  { title: 'MovedAccount' },
);
const replayed = {
  'idempotent-replayed': '`true` if the reference or the key was known, and nothing was changed.',
};

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function creditCalls(deps: CreditCallDeps) {
  const { database, ids } = deps;
  const present = async ({ isReplay, entryId, ...account }: Moved, noteReplay: () => void) => {
    if (isReplay) noteReplay();
    return {
      ...presentAccount({ ...(await countedAccountOf(database.read, account.id)), ...account }),
      entry_id: entryId === null ? null : ids.seal('entry', entryId),
    };
  };
  return {
    credit: installationCall({
      tag,
      operationId: 'creditAccount',
      summary: 'Add money to an account',
      params: accountParams,
      headers: idempotencyHeader('A key for a credit without a reference, so that it is added only once.'),
      body: closed(
        {
          amount: amountGiven('More than zero.'),
          reference,
          reason: Type.Optional(
            Type.String({
              maxLength: maxReasonLength,
              description: 'The reason, for readers of the ledger; needed if there is no reference.',
            }),
          ),
        },
        { title: 'Credit' },
      ),
      status: 201,
      idempotency: 'handled',
      makes: '/accounts/:account/entries',
      reply: movedSchema,
      replyHeaders: replayed,
      errors: ['not_found', 'idempotency_key_reused', 'reference_reused'],
      async handle({ params, body: { amount, ...named }, idempotencyKey, by, noteReplay }) {
        const amountMicros = readAmount('/amount', amount);
        const credit = { ...named, ...params, amountMicros, idempotencyKey };
        const moved = await creditAccount({ database, tellBalances: tellLowBalances }, credit, by);
        return present(moved, noteReplay);
      },
    }),

    debit: installationCall({
      tag,
      operationId: 'debitAccount',
      summary: 'Take money from an account',
      description: "Takes at most the available balance; jobs' reservations stay.",
      params: accountParams,
      body: closed(
        {
          amount: amountGiven('More than zero.'),
          reason: Type.String({
            minLength: 1,
            maxLength: maxReasonLength,
            description: 'The reason for readers of the ledger.',
          }),
          corrects: Type.Optional(
            numberedId('entry', 'The `entry_id` of the credit that it corrects, wholly or in part.'),
          ),
          reference,
        },
        { title: 'Debit' },
      ),
      status: 201,
      idempotency: 'kept',
      makes: '/accounts/:account/entries',
      reply: movedSchema,
      replyHeaders: replayed,
      errors: ['not_found', 'insufficient_funds', 'reference_reused'],
      async handle({ params, body: { amount, corrects, ...named }, by, noteReplay }) {
        const debit = {
          ...{ ...named, ...params, amountMicros: readAmount('/amount', amount) },
          ...(corrects !== undefined && { corrects: readEntryId(ids, corrects) }),
        };
        return present(
          await debitAccount({ database, tellBalances: tellLowBalances }, debit, by),
          noteReplay,
        );
      },
    }),
  };
}

function readEntryId(ids: OpaqueIds, text: string): number {
  const id = ids.open('entry', text);
  if (id === undefined) throw noSuchCredit();
  return id;
}
