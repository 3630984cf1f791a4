import Type, { type Static, type TProperties } from 'typebox';
import { panelKeyName } from '../../../../accounts/panel-key.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, writeCursor } from '../../../../base/http/cursor.ts';
import {
  closed,
  cursor,
  flag,
  nameMissingPattern,
  oneOf,
  pageLimit,
  promptLengthPattern,
} from '../../../../base/http/schemas.ts';
import { readId } from '../../../../base/std/ids.ts';
import { wrongParameter } from '../../../../errors.ts';
import { listSimilar } from '../../../../images/renditions/imprint-store.ts';
import { colours } from '../../../../images/renditions/name-colours.ts';
import { cleanText } from '../../../../jobs/admission/clean-text.ts';
import { maxKeyLength, maxPairs, maxValueLength } from '../../../../jobs/admission/metadata.ts';
import { jobStatuses } from '../../../../jobs/job.ts';
import { findJobByIdempotencyKey, findOwnJobs } from '../../../../jobs/job-list-store.ts';
import { assertKnownFilters } from '../../../../jobs/known-filters.ts';
import type { JobListQuery, ListPosition } from '../../../../jobs/list-job-page.ts';
import { maxTagLength, readTag } from '../../../../jobs/tags/change-tags.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import { idsThatBeginWith } from './id-range.ts';

const maxWordsLength = 300;

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));

const filterFields = {
  q: text(
    maxWordsLength,
    'Words in the prompt, in any order; the last may be the beginning of a word. Case and accents make no difference.',
  ),
  status: Type.Optional(oneOf(jobStatuses, { title: 'JobStatus' })),
  model: text(40, 'The id of the model, which may have been removed.'),
  key_id: text(60, 'Only jobs of this key; `panel` for jobs created in the panel.'),
  batch_id: text(60, 'Only jobs of this batch.'),
  aspect_ratio: text(40, 'The ratio that is used.'),
  resolution: text(40, 'As in the request: `1K`.'),
  colour: Type.Optional(
    Type.Unsafe<string>(
      oneOf(colours, { title: 'Colour', description: 'One of up to three main colours of the image.' }),
    ),
  ),
  tag: text(maxTagLength * 2, 'Only jobs with this tag.'),
  starred: Type.Optional(flag('With or without a star.')),
  similar_to: text(
    60,
    "Only jobs whose image looks like this job's: the 200 most similar, including the job itself.",
  ),
  duplicates: Type.Optional(flag('Only jobs whose image looks exactly like another image of the account.')),
  from: Type.Optional(time('Created at this time or later.')),
  to: Type.Optional(time('Created before this time.')),
  id: text(
    300,
    'The id of a job, or its beginning (4 characters or more); or the Idempotency-Key of its create.',
  ),
  // The query has one parameter `metadata[KEY]` for each pair, and no parameter named `metadata`.
  metadata: Type.Optional(
    Type.Unsafe<never>({
      type: 'string',
      pattern: nameMissingPattern,
      'x-documented': {
        type: 'object',
        description: `Only jobs with these pairs of metadata: \`metadata[order]=1042\`, up to ${maxPairs} of them.`,
        maxProperties: maxPairs,
        additionalProperties: { type: 'string', maxLength: maxValueLength },
      },
    }),
  ),
};

function time(description: string) {
  return Type.String({ maxLength: 40, description, examples: ['2026-11-20T00:00:00Z'] });
}

const namePattern = new RegExp(`^metadata\\[([\\s\\S]{1,${maxKeyLength}})\\]$`, 'u');
const pairs = { [namePattern.source]: { type: 'string', maxLength: maxValueLength } };

export const jobFormerNames = { search: 'id' };

export function filterSchema<Fields extends TProperties>(more: Fields) {
  return closed({ ...filterFields, ...more }, { patternProperties: pairs });
}

export const listSchema = filterSchema({
  limit: pageLimit(),
  cursor: Type.Optional(cursor()),
  prompt_length: Type.Optional(
    Type.String({
      pattern: promptLengthPattern,
      description:
        'The maximum number of characters shown of each prompt: a page of long prompts has megabytes. By default, all are shown.',
      'x-documented': { type: 'integer', minimum: 1, maximum: 9_999 },
    }),
  ),
});

type FilterQuery = Static<Type.TObject<typeof filterFields>>;

export interface FilterDeps {
  database: Database;
  catalogue: Pick<Catalogue, 'list' | 'knows'>;
}

/** @throws AppError `invalid_request`, also if a filter names a model, key, batch or other value that does not exist */
export async function readFilter(
  { database, catalogue }: FilterDeps,
  accountId: string | undefined,
  query: FilterQuery,
): Promise<JobListQuery> {
  const filter = parseFilter(accountId, query);
  await assertKnownFilters(database.read, catalogue, filter);
  const { id, similar_to: similar } = query;
  return {
    ...filter,
    ...(similar && { among: await findSimilar(database, accountId, similar) }),
    ...(id !== undefined && { ids: await findIds(database, accountId, id.trim()) }),
  };
}

/** The maximum number of similar images, because all of them are read before the first is shown. */
const mostSimilar = 200;

/**
 * Returns the ids of similar jobs. Puts the job itself first, because a search does not find it until its renditions
 * and imprint are made.
 */
async function findSimilar(
  { read }: Database,
  accountId: string | undefined,
  text: string,
): Promise<string[]> {
  const id = readId(text);
  const [job] = accountId && id ? await findOwnJobs(read, accountId, [id], 0) : [];
  if (!job) throw wrongParameter('similar_to', 'is unknown: the account has no such job.');
  const similar = await listSimilar(read, { accountId: job.accountId, jobId: job.id }, mostSimilar);
  return [...new Set([job.id, ...similar])];
}

async function findIds(
  { read }: Database,
  accountId: string | undefined,
  wanted: string,
): Promise<{ first: string; last: string }> {
  const ids = idsThatBeginWith(wanted) ?? noIds;
  if (accountId === undefined) return ids;
  const isWhole = ids.first === ids.last;
  if (isWhole && (await findOwnJobs(read, accountId, [ids.first], 0)).length > 0) return ids;
  // A key may look like an id, or like the beginning of one: UUIDs are the recommended keys.
  const id = await findJobByIdempotencyKey(read, accountId, wanted);
  return id === null ? ids : { first: id, last: id };
}

const noIds = {
  first: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  last: '00000000-0000-0000-0000-000000000000',
};

function parseFilter(accountId: string | undefined, query: FilterQuery): JobListQuery {
  const { q, status, model, key_id, batch_id, aspect_ratio, resolution, colour, tag } = query;
  const { starred, duplicates, from, to } = query;
  const metadata = readPairs(query);
  return {
    ...(accountId !== undefined && { accountId }),
    ...(q !== undefined && { words: q }),
    ...(status && { status }),
    ...(model && { model }),
    ...(key_id && { keyId: readKeyId(accountId, key_id) }),
    ...(batch_id && { batchId: readBatchId(batch_id) }),
    ...(aspect_ratio && { aspectRatio: aspect_ratio }),
    ...(resolution && { resolution }),
    ...(colour && { colour }),
    ...(tag && { tag: readTag(tag) }),
    ...(starred && { starred: starred === 'true' }),
    ...(duplicates === 'true' && { duplicated: true }),
    ...(from && { fromMs: readTime('from', from) }),
    ...(to && { toMs: readTime('to', to) }),
    ...(metadata.length > 0 && { metadata }),
  };
}

/** Reads the pairs of metadata, whose lengths the schema has checked. */
function readPairs(query: object): [key: string, value: string][] {
  const found = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    const key = namePattern.exec(name)?.[1];
    return key === undefined ? [] : [[cleanText(key), cleanText(String(value))]];
  });
  if (found.length > maxPairs) throw wrongParameter('metadata', `must have at most ${maxPairs} pairs.`);
  return found;
}

function readKeyId(accountId: string | undefined, text: string): string {
  if (text === panelKeyName && accountId !== undefined) return accountId;
  const id = readId(text);
  if (id !== undefined) return id;
  throw wrongParameter('key_id', `must be the id of a key, or ${panelKeyName}.`);
}

function readBatchId(text: string): string {
  const id = readId(text);
  if (id !== undefined) return id;
  throw wrongParameter('batch_id', 'must be the id of a batch.');
}

function readTime(name: string, text: string): number {
  const ms = Date.parse(text);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw wrongParameter(name, 'must be a time such as 2026-11-20T00:00:00Z.');
}

/** @throws AppError `invalid_request` */
export function readPosition({ cursor, q }: { cursor?: string; q?: string }): ListPosition | undefined {
  return q === undefined ? readCursor(cursor, ['id']) : readCursor(cursor, ['number', 'number']);
}

export function writePosition(position: ListPosition | null): string | null {
  return position && writeCursor(position);
}
