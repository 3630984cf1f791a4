import Type, { type TSchema } from 'typebox';
import { jobSchema } from '../api/nouns/jobs/job-schemas.ts';
import { keyPattern } from '../http/request-headers.ts';
import { amount, cursor, nullable, pageLimit, time } from '../http/schemas.ts';

export const defaultPageSize = 20;

export const accountParams = Type.Object({
  account: Type.String({ description: 'Its id, or its name.' }),
});

export const listFields = { limit: pageLimit(defaultPageSize), cursor: Type.Optional(cursor()) };

/** The query of a list, with its limit as a number. */
export function pageOf<Query extends { limit?: string }>({ limit, ...query }: Query) {
  return { ...query, limit: Number(limit ?? defaultPageSize) };
}

/** The answer of a list that has no pages. */
export async function list<Item>(items: Promise<Item[]>): Promise<{ data: Item[] }> {
  return { data: await items };
}

export const amountGiven = (description: string) =>
  Type.String({ maxLength: 20, description, examples: ['25.00'] });

/** Of a call that does nothing when it is repeated under its key. */
export const idempotencyHeader = (description: string) => ({
  'idempotency-key': { schema: { type: 'string', pattern: keyPattern }, description },
});

export const nothing = (description: string) => Type.Null({ description });

export const listOf = <Schema extends TSchema>(title: string, item: Schema) =>
  Type.Object({ data: Type.Array(item) }, { title });

const id = (description?: string) =>
  Type.String({ format: 'uuid', ...(description !== undefined && { description }) });

export const accountSchema = Type.Object(
  {
    account_id: id(),
    name: Type.String(),
    balance: amount('Deposited and not yet spent.'),
    reserved: amount('Held for jobs that are not finished.'),
    available: amount('`balance` minus `reserved`.'),
    created_at: time('When it was made.'),
    disabled_at: nullable(time('Since when its keys are refused; null while it is enabled.')),
    disabled_reason: nullable(Type.String()),
    erased_at: nullable(time('When it began to be erased: never again is it enabled, credited or used.')),
    members: Type.Integer({ description: 'How many people it has.' }),
    keys: Type.Integer({ description: 'How many that are not disabled.' }),
  },
  { $id: 'Account' },
);

export const accountJobSchema = Type.Object(
  {
    account_id: id('Who pays.'),
    ...jobSchema.properties,
  },
  { $id: 'AccountJob' },
);
