import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { maxReasonLength, maxReferenceLength } from '../accounts/references.ts';
import { idempotencyKey } from '../http/request-headers.ts';
import { closed, nullable, numberedId } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, accountSchema, amountGiven, idempotencyHeader } from './schemas.ts';

const tag = 'Money';
const month = Type.String({ description: 'Of UTC.', examples: ['2026-10'] });
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

/** Credits, debits, and statements as tables. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function moneyCalls() {
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
      idempotency: 'handled',
      makes: '/accounts/:account/entries',
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
      idempotency: 'kept',
      makes: '/accounts/:account/entries',
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

    statementTable: adminCall({
      tag,
      operationId: 'getStatementTable',
      summary: 'Read the statement of a month as CSV',
      params: Type.Object({ ...accountParams.properties, month }),
      status: 200,
      replyType: 'text/csv',
      reply: Type.String(),
      errors: ['not_found'],
      async handle({ verbs, params }, reply) {
        const table = await verbs.statementTable(params.account, params.month);
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="statement-${params.month}.csv"`)
          .send(`${table}\n`);
      },
    }),
  };
}

function moved<Account>({ replayed, ...account }: Account & { replayed: boolean }, reply: FastifyReply) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  return account;
}
