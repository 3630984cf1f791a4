import { type RawBuilder, sql } from 'kysely';
import {
  hasBegun,
  isDone,
  isFailed,
  isLeased,
  isOfAccount,
  isQueued,
  isWaiting,
} from '../base/db/job-predicates.ts';
import { isAnyOf, isPostgres } from '../base/db/rows.ts';
import type { JobsTable, Queries } from '../base/db/schema.ts';
import { idBefore, idFrom } from '../base/std/ids.ts';
import { duplicatesOf } from '../images/renditions/imprint-store.ts';
import type { ModelId, Resolution } from '../upstream/catalog/models.ts';
import type { Job, JobStatus } from './job.ts';
import { createdColumns, toJob } from './job-store.ts';
import type { WordChoices } from './search/word-choices.ts';
import { entriesWith } from './search/word-store.ts';

/** The number of prompt characters that a list shows. */
export const shownPromptLength = 200;

export interface JobFilter {
  /** Omitted to list the jobs of all accounts. The filters by words, tags, stars and metadata need an account. */
  accountId?: string;
  status?: JobStatus;
  model?: ModelId;
  keyId?: string;
  /** The ratio in use, or else the requested one. */
  aspectRatio?: string;
  resolution?: Resolution;
  /** The creation time, at or after `fromMs` and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  /** The range of ids, including both ends. */
  ids?: { first: string; last: string };
  colour?: string;
  tag?: string;
  batchId?: string;
  among?: readonly string[];
  /** Lists only jobs whose image looks exactly like another image of the account. */
  duplicated?: true;
  starred?: boolean;
  metadata?: readonly (readonly [key: string, value: string])[];
}

export interface PageOf {
  /** Lists only jobs that are older than this id. */
  before?: string | undefined;
  limit: number;
  /** Truncates prompts to this many characters, because a page of long prompts would be megabytes. */
  promptLength?: number | undefined;
}

/** Lists jobs, newest first. */
export async function listJobs(
  queries: Queries,
  filter: JobFilter,
  { promptLength, ...page }: PageOf,
): Promise<Job[]> {
  const { rows } = await select<JobsTable>(queries, columnsOf(promptLength), filter, page);
  return rows.map(toJob);
}

/** Lists ids; null if there are more than `limit`. */
export async function listFew(queries: Queries, filter: JobFilter, limit: number): Promise<string[] | null> {
  const { rows } = await select<{ id: string }>(queries, sql`jobs.id`, filter, { limit: limit + 1 });
  return rows.length > limit ? null : rows.map(({ id }) => id);
}

function select<Row>(
  queries: Queries,
  columns: RawBuilder<unknown>,
  filter: JobFilter,
  { before, limit }: Omit<PageOf, 'promptLength'>,
) {
  const [list, ...others] = listsOf(queries, filter);
  // Reads job ids from a filter's own table or index, in its order. Without one, reads all jobs of the account.
  const first = list ?? indexedOf(filter);
  const source = first
    ? sql`(${first}) as listed ${joinInOrder(queries)} jobs on jobs.id = listed.job_id`
    : sql`jobs`;
  const id = sql.ref(first ? 'listed.job_id' : 'jobs.id');
  const conditions = [
    ofAccount(filter),
    ...others.map((list) => sql`jobs.id in (${list})`),
    ...conditionsOf(filter, id),
    ...(before === undefined ? [] : [sql`${id} < ${before}`]),
  ];
  return sql<Row>`select ${columns} from ${source}
    where ${sql.join(conditions, sql` and `)} order by ${id} desc limit ${limit}`.execute(queries);
}

interface Found {
  lists: readonly WordChoices[];
  before: number;
  limit: number;
  promptLength: number | undefined;
}

/** Lists the jobs that contain the words, with the matching ledger entries, newest first. */
export async function listFound(
  queries: Queries,
  filter: JobFilter,
  found: Found,
): Promise<{ job: Job; entryId: number }[]> {
  const join = joinInOrder(queries);
  const conditions = [
    ofAccount(filter),
    ...listsOf(queries, filter).map((list) => sql`jobs.id in (${list})`),
    ...conditionsOf(filter, sql.ref('jobs.id')),
  ];
  const { rows } = await sql<JobsTable & { entry_id: number }>`
    select found.entry_id, ${columnsOf(found.promptLength)}
    from (${entriesWith(queries, found.lists, found.before)}) as found
    ${join} entries on entries.id = found.entry_id
    ${join} jobs on jobs.id = entries.job_id
    where ${sql.join(conditions, sql` and `)} order by found.entry_id desc limit ${found.limit}`.execute(
    queries,
  );
  return rows.map((row) => ({ job: toJob(row), entryId: row.entry_id }));
}

export async function listFoundAmong(
  queries: Queries,
  jobIds: readonly string[],
  { lists, before, limit, promptLength }: Found,
): Promise<{ job: Job; entryId: number }[]> {
  const { rows } = await sql<JobsTable & { entry_id: number }>`
    select entries.id as entry_id, ${columnsOf(promptLength)}
    from entries ${joinInOrder(queries)} jobs on jobs.id = entries.job_id
    where ${isAnyOf(queries, 'entries.job_id', jobIds, 'uuid')} and entries.kind = 'reserve'
      and entries.id in (${entriesWith(queries, lists, before)})
    order by entries.id desc limit ${limit}`.execute(queries);
  return rows.map((row) => ({ job: toJob(row), entryId: row.entry_id }));
}

function ofAccount({ accountId }: JobFilter): RawBuilder<unknown> {
  return accountId === undefined ? sql`true` : sql`jobs.account_id = ${accountId}`;
}

/** Joins tables in the given order, as PostgreSQL does for lookups row by row, and SQLite only with `cross join`. */
function joinInOrder(queries: Queries): RawBuilder<unknown> {
  return sql.raw(isPostgres(queries) ? 'join' : 'cross join');
}

/** A query for each of these filters that is set: the ids of the matching jobs, in an index's order. */
function listsOf(
  queries: Queries,
  { accountId, metadata = [], tag, starred, batchId, among, duplicated }: JobFilter,
): RawBuilder<unknown>[] {
  const lists = metadata.map(
    ([key, value]) => sql`select job_id from job_metadata
      where account_id = ${accountId} and key = ${key} and value = ${value}`,
  );
  if (tag !== undefined)
    lists.push(sql`select job_id from job_tags where account_id = ${accountId} and tag = ${tag}`);
  if (batchId !== undefined) lists.push(sql`select id as job_id from jobs where batch_id = ${batchId}`);
  if (among) lists.push(sql`select id as job_id from jobs where ${isAnyOf(queries, 'id', among, 'uuid')}`);
  if (duplicated) lists.push(duplicatesOf(accountId));
  if (starred) lists.push(sql`select job_id from job_stars where account_id = ${accountId}`);
  return lists;
}

/** Selects jobs from an index that contains only those that meet one of the filter's conditions. */
function indexedOf(filter: JobFilter): RawBuilder<unknown> | undefined {
  const { accountId, status, colour } = filter;
  if (accountId === undefined) return undefined;
  const listOf = (...conditions: RawBuilder<unknown>[]) =>
    sql`select jobs.id as job_id from jobs where jobs.account_id = ${accountId} and ${sql.join(conditions, sql` and `)}`;
  if (status === 'done') return listOf(isDone, ...factsOf(filter));
  if (status === 'failed') return listOf(isFailed, ...factsOf(filter));
  const underWay = (...conditions: RawBuilder<unknown>[]) =>
    sql`select jobs.id as job_id from jobs where ${sql.join([isOfAccount(accountId), ...conditions], sql` and `)}`;
  // Adds an empty second list, without which SQLite would read the whole table in the result's order.
  const none = sql`select cast(null as uuid) where false`;
  if (status === 'queued') return sql`${underWay(isWaiting, isQueued)} union all ${none}`;
  if (status === 'processing') return sql`${underWay(isWaiting, hasBegun)} union all ${underWay(isLeased)}`;
  if (colour) return listOf(sql`jobs.colours is not null`, isColoured(colour));
  const facts = factsOf(filter);
  return facts.length > 0 ? listOf(...facts) : undefined;
}

function conditionsOf(filter: JobFilter, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { accountId, status, aspectRatio, colour, starred, fromMs, toMs, ids } = filter;
  const conditions = factsOf(filter);
  if (status) conditions.push(sql`jobs.status = ${status}`);
  if (aspectRatio) conditions.push(sql`coalesce(jobs.aspect_ratio, jobs.requested_ratio) = ${aspectRatio}`);
  if (colour) conditions.push(isColoured(colour));
  if (starred === false)
    conditions.push(sql`jobs.id not in (select job_id from job_stars where account_id = ${accountId})`);
  // The index is on ids, which sort by creation time, but only roughly.
  if (fromMs !== undefined)
    conditions.push(sql`${id} >= ${idFrom(fromMs)}`, sql`jobs.created_at >= ${fromMs}`);
  if (toMs !== undefined) conditions.push(sql`${id} < ${idBefore(toMs)}`, sql`jobs.created_at < ${toMs}`);
  if (ids) conditions.push(sql`${id} >= ${ids.first} and ${id} <= ${ids.last}`);
  return conditions;
}

/** The conditions on columns that a create sets and that never change. */
function factsOf({ model, keyId, resolution }: JobFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (model) conditions.push(sql`jobs.model = ${model}`);
  if (keyId) conditions.push(sql`jobs.key_id = ${keyId}`);
  if (resolution) conditions.push(sql`jobs.resolution = ${resolution}`);
  return conditions;
}

function isColoured(colour: string): RawBuilder<unknown> {
  return sql`' ' || jobs.colours || ' ' like ${`% ${colour} %`}`;
}

export function columnsOf(promptLength: number | undefined): RawBuilder<unknown> {
  if (promptLength === undefined) return sql`jobs.*`;
  const prompt = sql`substr(jobs.prompt, 1, ${sql.lit(promptLength)}) as prompt`;
  return sql`${sql.join(shownColumns.map((name) => sql.ref(`jobs.${name}`)))}, ${prompt}`;
}

/** The columns of a job except its prompt and its upstream cost. */
const shownColumns = [
  ...Object.keys(createdColumns).filter((name) => name !== 'prompt'),
  ...['status', 'attempt', 'worker', 'claimable_at', 'failures', 'route', 'remote_id'],
  ...['created_at', 'started_at', 'finished_at', 'error', 'error_code', 'notes'],
  ...['image_key', 'image_width', 'image_height', 'image_bytes', 'image_sha256', 'image_deleted_at'],
  ...['thumbhash', 'colours'],
];

/** Finds the jobs that belong to the account, in the order of the ids. */
export async function findOwnJobs(
  queries: Queries,
  accountId: string,
  jobIds: readonly string[],
  promptLength?: number,
): Promise<Job[]> {
  if (jobIds.length === 0) return [];
  const { rows } = await sql<JobsTable>`select ${columnsOf(promptLength)} from jobs
    where ${isAnyOf(queries, 'jobs.id', jobIds, 'uuid')} and account_id = ${accountId}`.execute(queries);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return jobIds.flatMap((id) => byId.get(id) ?? []).map(toJob);
}

export async function findJobByIdempotencyKey(
  queries: Queries,
  accountId: string,
  key: string,
): Promise<string | null> {
  const row = await queries
    .selectFrom('idempotency_keys')
    .select('job_id')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.job_id ?? null;
}
