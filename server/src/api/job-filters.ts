import Type, { type Static } from 'typebox';
import { cleanText } from '../admission/clean-text.ts';
import { maxKeyLength, maxPairs, maxValueLength } from '../admission/metadata.ts';
import { AppError } from '../errors.ts';
import { oneOf } from '../http/schemas.ts';
import { jobStatuses } from '../jobs/job.ts';
import type { JobFilter } from '../jobs/job-list-store.ts';

/** Query parameters that choose jobs. A job is listed when all of them hold. */
export const filterFields = {
  status: Type.Optional(oneOf(jobStatuses, { title: 'JobStatus' })),
  model: Type.Optional(Type.String({ maxLength: 40, description: 'Its id, also of a model that is gone.' })),
  // It stands in the query as one parameter for each pair; the name alone is none.
  metadata: Type.Optional(
    Type.Unsafe<never>({
      not: {},
      'x-documented': {
        type: 'object',
        description: `Only jobs with these pairs: \`metadata[order]=1042\`, up to ${maxPairs} of them.`,
        maxProperties: maxPairs,
        additionalProperties: { type: 'string', maxLength: maxValueLength },
      },
    }),
  ),
};

const namePattern = new RegExp(`^metadata\\[([\\s\\S]{1,${maxKeyLength}})\\]$`, 'u');

export const metadataParameters = {
  [namePattern.source]: { type: 'string', maxLength: maxValueLength },
};

type ListQuery = Static<Type.TObject<typeof filterFields>>;

/** @throws AppError `invalid_request` */
export function readListFilter(accountId: string, query: ListQuery): JobFilter {
  const { status, model } = query;
  const metadata = readPairs(query);
  return {
    accountId,
    ...(status && { status }),
    ...(model && { model }),
    ...(metadata.length > 0 && { metadata }),
  };
}

/** The schema has checked their lengths. */
export function readPairs(query: object): [key: string, value: string][] {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    const key = namePattern.exec(name)?.[1];
    return key === undefined ? [] : [[cleanText(key), cleanText(String(value))]];
  });
  if (pairs.length <= maxPairs) return pairs;
  const detail = `must have at most ${maxPairs} pairs.`;
  throw new AppError('invalid_request', `metadata ${detail}`, {
    errors: [{ pointer: '/query/metadata', detail }],
  });
}
