import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { amount, closed, day, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { checkBill } from '../../../../jobs/costs/bills/check-bill.ts';
import { differences } from '../../../../jobs/costs/bills/compare-bill.ts';
import { billings } from '../../../../jobs/costs/charge.ts';
import { installationCall } from '../../installation-call.ts';

/** The maximum length of a file. Reading a month of fal's hourly usage of twenty models takes a tenth of a second. */
const maxLength = 4 * 1024 * 1024;
/** The maximum size of a body. JSON escapes quotes, so a file of short quoted cells grows by half. */
const maxBytes = 2 * maxLength;

const count = (description: string) => nullable(Type.Integer(), { description });
const billed = {
  count: count('The number of images, if the bill counts them.'),
  amount: nullable(amount('The charge, where the bill says so.')),
};

const attemptSchema = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    attempt: Type.Integer({ minimum: 1 }),
    account_id: Type.String({ format: 'uuid' }),
    ended_at: time('When it ended.'),
    billed: oneOf(billings),
    cost: nullable(amount('The cost; null if it is unknown.')),
    possible_cost: nullable(amount('The cost if it was billed.')),
    currency: Type.String({ description: 'The currency of the cost.' }),
  },
  { title: 'BilledAttempt' },
);

const differenceSchema = Type.Object(
  {
    day: day('The day in the time zone of the bill.'),
    upstream_model: Type.String(),
    differs: Type.Array(oneOf(differences, { title: 'BillDifferenceKind' }), {
      description:
        '`not_on_bill`: the bill does not have this model on that day; `not_noted`: no attempt was recorded on that day; otherwise a difference in number or cost.',
    }),
    bill: nullable(Type.Object(billed, { title: 'BilledOnBill' }), {
      description: 'Null if the bill has no line for this model and day.',
    }),
    noted: Type.Object(
      {
        count: Type.Integer({ description: 'The number of billed attempts.' }),
        amount: amount('The cost of attempts whose cost is known.'),
        without_cost: Type.Integer({ description: 'The number of attempts whose cost is unknown.' }),
        unknown_attempts: Type.Integer({
          description: 'The number of attempts that may be billed, which only the bill shows.',
        }),
        possible_cost: amount('Their cost if they were billed.'),
      },
      { title: 'BilledAsNoted' },
    ),
    attempts: Type.Array(attemptSchema, {
      description:
        'At most twenty attempts of this model on that day. Those that best explain the difference come first.',
    }),
  },
  { title: 'BillDifference' },
);

export function billCheckCall(deps: { database: Database; currency: string }) {
  return installationCall({
    tag: 'Money',
    operationId: 'checkBill',
    summary: 'Check the bill of a vendor',
    description:
      "Reads a vendor's file of charges, and compares it with the recorded attempts, by day and model. It accepts files of OpenAI, Google, Azure, fal and Replicate, which it recognizes by their columns. The file is not kept.",
    body: closed(
      {
        file: Type.String({
          minLength: 1,
          maxLength,
          description: 'The text of the file: CSV or JSON.',
        }),
        from: Type.Optional(day("The bill's first day; by default, the day of its first line.")),
        to: Type.Optional(day("The bill's last day, included; by default, the day of its last line.")),
      },
      { title: 'BillToCheck' },
    ),
    maxBytes,
    reply: Type.Object(
      {
        format: Type.String({
          description: 'The format of the file.',
          examples: ['OpenAI, costs by line item'],
        }),
        provider: Type.String({ examples: ['openai'] }),
        currency: Type.String({ description: 'The currency of the bill.' }),
        time_zone: Type.String({ description: 'The time zone of its days.' }),
        from: day('The first day.'),
        to: day('The last day, included.'),
        agreed: Type.Integer({
          description: 'The number of combinations of model and day without a difference.',
        }),
        differences: Type.Array(differenceSchema, {
          description: 'The differences in order of time, 100 at most.',
        }),
        left_out: Type.Integer({ description: 'The number of further differences.' }),
        unmatched: Type.Array(Type.Object({ model: Type.String(), ...billed }, { title: 'UnmatchedModel' }), {
          description:
            'Models on the bill that no attempt used, 100 at most: other programs may use the same vendor account.',
        }),
      },
      { title: 'BillCheck' },
    ),
    handle: ({ body }) => checkBill(deps, body),
  });
}
