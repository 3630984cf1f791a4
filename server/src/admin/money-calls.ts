import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { accountOf } from '../accounts/account-of.ts';
import { maxReasonLength, maxReferenceLength } from '../accounts/references.ts';
import { entryListQuery, entrySchema, readEntries } from '../api/nouns/money/entry-calls.ts';
import { usageQuery, usageSchema } from '../api/nouns/money/usage-calls.ts';
import { idempotencyKey } from '../http/request-headers.ts';
import { closed, named, nullable, numberedId, page } from '../http/schemas.ts';
import { readUsage } from '../jobs/read-usage.ts';
import { adminCall } from './admin-call.ts';
import {
  accountParams,
  accountSchema,
  amountGiven,
  defaultPageSize,
  idempotencyHeader,
  list,
  marginsSchema,
} from './schemas.ts';

export type MoneyCallDeps = Parameters<typeof readUsage>[0] & Parameters<typeof readEntries>[0];

const tag = 'Money';
const reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: maxReferenceLength,
    description:
      'What others call the payment, such as the id of an event of Stripe. An account has it once: the same reference again changes nothing, and answers as the first time.',
    examples: ['pi_3MtwBwLkdIwHu7ix28a3tqPa'],
  }),
);
const movedSchema = Type.Object(
  {
    ...accountSchema.properties,
    entry_id: nullable(numberedId('entry'), {
      description:
        'Of the entry that was written, or that was there already; a debit names it as `corrects`.',
    }),
  },
  { title: 'MovedAccount' },
);
const replayed = {
  'idempotent-replayed': '`true` when the reference or the key was known, and nothing was changed.',
};

/** Credits, debits and what was spent. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function moneyCalls(deps: MoneyCallDeps) {
  const { database } = deps;
  return {
    credit: adminCall({
      tag,
      operationId: 'creditAccount',
      summary: 'Add money to an account',
      params: accountParams,
      headers: idempotencyHeader('For a credit without a reference: it is added once.'),
      body: closed(
        {
          amount: amountGiven('More than zero.'),
          reference,
          reason: Type.Optional(
            Type.String({
              maxLength: maxReasonLength,
              description: 'For whoever reads the ledger; needed where there is no reference.',
            }),
          ),
        },
        { title: 'Credit' },
      ),
      status: 201,
      reply: movedSchema,
      replyHeaders: replayed,
      errors: [
        'not_found',
        'idempotency_key_reused',
        'reference_reused',
        'unsupported_media_type',
        'body_too_large',
      ],
      handle: async ({ verbs, params, body, raw }, reply) =>
        moved(
          await verbs.creditAccount(params.account, { ...body, idempotencyKey: idempotencyKey(raw) }),
          reply,
        ),
    }),

    debit: adminCall({
      tag,
      operationId: 'debitAccount',
      summary: 'Take money from an account',
      description: 'At most what is available: what jobs hold stays.',
      params: accountParams,
      body: closed(
        {
          amount: amountGiven('More than zero.'),
          reason: Type.String({
            minLength: 1,
            maxLength: maxReasonLength,
            description: 'For whoever reads the ledger.',
          }),
          corrects: Type.Optional(
            numberedId('entry', 'The `entry_id` of the credit that it takes back, or a part of it.'),
          ),
          reference,
        },
        { title: 'Debit' },
      ),
      status: 201,
      reply: movedSchema,
      replyHeaders: replayed,
      errors: [
        'not_found',
        'insufficient_funds',
        'reference_reused',
        'unsupported_media_type',
        'body_too_large',
      ],
      handle: async ({ verbs, params, body }, reply) =>
        moved(await verbs.debitAccount(params.account, body), reply),
    }),

    entries: adminCall({
      tag,
      operationId: 'listEntries',
      summary: 'List the entries of an account, newest first',
      params: accountParams,
      query: entryListQuery,
      status: 200,
      reply: page('EntryList', named(entrySchema)),
      errors: ['not_found'],
      async handle({ params, query: { limit, ...filter } }) {
        const { id: accountId } = await accountOf(database.read, params.account);
        return readEntries(deps, { ...filter, accountId, limit: Number(limit ?? defaultPageSize) });
      },
    }),

    usage: adminCall({
      tag,
      operationId: 'getUsage',
      summary: 'Read the usage of an account per day',
      params: accountParams,
      query: usageQuery,
      status: 200,
      reply: named(usageSchema),
      errors: ['not_found'],
      handle: async ({ params, query }) =>
        readUsage(deps, (await accountOf(database.read, params.account)).id, query),
    }),

    margins: adminCall({
      tag,
      operationId: 'getMargins',
      summary: 'Read what each model earned',
      description: 'On each of the last seven days: what was paid, less what images cost.',
      status: 200,
      reply: marginsSchema,
      errors: [],
      handle: ({ verbs }) => list(verbs.margins()),
    }),
  };
}

function moved<Account>({ replayed, ...account }: Account & { replayed: boolean }, reply: FastifyReply) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  return account;
}
