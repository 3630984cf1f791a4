import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { bitsApart, type Imprint, withOneChanged } from '../imprint.ts';

/** Inserts an imprint unless the job has one, because a result's image never changes. */
export async function insertImprint(
  tx: Tx,
  { accountId, jobId }: { accountId: string; jobId: string },
  { bands, fine }: Imprint,
): Promise<void> {
  // Transactions take turns here, because two similar images written at the same time would not see each other.
  if (isPostgres(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended(${accountId + fine}, 0))`.execute(tx);
  const [band_0 = 0, band_1 = 0, band_2 = 0, band_3 = 0] = bands;
  await tx
    .insertInto('imprints')
    .values({ job_id: jobId, account_id: accountId, band_0, band_1, band_2, band_3, fine })
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute();
  // One other job is enough. It is locked: a concurrent deletion would leave the duplicate written here for ever.
  const other = await tx
    .selectFrom('imprints')
    .select('job_id')
    .where('account_id', '=', accountId)
    .where('fine', '=', fine)
    .where('job_id', '<>', jobId)
    .limit(1)
    .$if(isPostgres(tx), (query) => query.forKeyShare())
    .executeTakeFirst();
  if (!other) return;
  await tx
    .insertInto('duplicates')
    .values([jobId, other.job_id].map((job_id) => ({ job_id, account_id: accountId })))
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute();
}

/** Selects the jobs whose image looks exactly like another image of the account, if that image still exists. */
export function duplicatesOf(accountId: string | undefined): RawBuilder<unknown> {
  return sql`select job_id from duplicates where account_id = ${accountId} and exists (
    select 1 from imprints as own join imprints as other on other.account_id = own.account_id and other.fine = own.fine
    where own.job_id = duplicates.job_id and other.job_id <> own.job_id)`;
}

// In `npm run provenance -- copies`, 95 % of copies are within this limit, even those of fine stripes, the hardest.
const mostApart = { coarse: 14, fine: 92 };
/** The maximum number of candidates. A million images give about 1,000, or more if alike, such as drawings on white. */
const mostCandidates = 5_000;

/** Nearest first. Finds all that differ in up to seven coarse bits: one band then differs in at most one bit. */
export async function listAlike(
  queries: Queries,
  imprint: Imprint,
  { limit, accountId }: { limit: number; accountId?: string },
): Promise<string[]> {
  const rows = (await readAll(queries, accountId)) ?? (await readNear(queries, imprint, accountId));
  return rows
    .map((row) => ({ jobId: row.job_id, apart: bitsApart(imprint, toImprint(row)) }))
    .filter(({ apart }) => apart.coarse <= mostApart.coarse && apart.fine <= mostApart.fine)
    .sort((one, other) => one.apart.fine - other.apart.fine)
    .slice(0, limit)
    .map(({ jobId }) => jobId);
}

/** Reads all imprints of a small account, because the bands would mostly find other accounts' images. */
async function readAll(queries: Queries, accountId: string | undefined): Promise<ImprintRow[] | undefined> {
  if (accountId === undefined) return undefined;
  const { rows } =
    await sql<ImprintRow>`select ${imprintColumns} from imprints where account_id = ${accountId}
    limit ${mostCandidates + 1}`.execute(queries);
  return rows.length > mostCandidates ? undefined : rows;
}

async function readNear(
  queries: Queries,
  { bands }: Imprint,
  accountId: string | undefined,
): Promise<ImprintRow[]> {
  const near = bands.map((band, at) => sql`${sql.ref(`band_${at}`)} in (${sql.join(withOneChanged(band))})`);
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const { rows } = await sql<ImprintRow>`select ${imprintColumns} from imprints
    where (${sql.join(near, sql` or `)}) ${ofAccount} limit ${mostCandidates}`.execute(queries);
  return rows;
}

const imprintColumns = sql`job_id, band_0, band_1, band_2, band_3, fine`;

export async function findResultKey(queries: Queries, jobId: string): Promise<string | undefined> {
  const row = await queries.selectFrom('jobs').select('image_key').where('id', '=', jobId).executeTakeFirst();
  return row?.image_key ?? undefined;
}

/** Nearest first, including the job itself. Empty if the job has no imprint. */
export async function listSimilar(
  queries: Queries,
  { accountId, jobId }: { accountId: string; jobId: string },
  limit: number,
): Promise<string[]> {
  const row = await queries
    .selectFrom('imprints')
    .select(['band_0', 'band_1', 'band_2', 'band_3', 'fine'])
    .where('job_id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!row) return [];
  return listAlike(queries, toImprint(row), { limit, accountId });
}

interface ImprintRow {
  job_id: string;
  band_0: number;
  band_1: number;
  band_2: number;
  band_3: number;
  fine: string;
}

function toImprint({ band_0, band_1, band_2, band_3, fine }: Omit<ImprintRow, 'job_id'>): Imprint {
  return { bands: [band_0, band_1, band_2, band_3], fine };
}
