import { isAnyOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Metadata } from '../job.ts';

/** The file that created a batch, and request data that jobs do not store. */
export interface BatchSource {
  fileId: string;
  /** The API call that the file's lines name. */
  call: string;
  metadata: Metadata | null;
  /** JSON for the API that accepted the file: each request's name and the form of its answer. */
  answers: string;
}

export async function insertSources(
  tx: Tx,
  batches: readonly { id: string; source?: BatchSource }[],
): Promise<void> {
  const rows = batches.flatMap(({ id, source }) =>
    source
      ? [
          {
            batch_id: id,
            file_id: source.fileId,
            call: source.call,
            metadata: source.metadata && JSON.stringify(source.metadata),
            answers: source.answers,
          },
        ]
      : [],
  );
  if (rows.length > 0) await tx.insertInto('batch_sources').values(rows).execute();
}

/** Reads the sources without `answers`, which only the batch's output needs. */
export async function findSources(
  queries: Queries,
  batchIds: readonly string[],
): Promise<Map<string, Omit<BatchSource, 'answers'>>> {
  const rows = await queries
    .selectFrom('batch_sources')
    .select(['batch_id', 'file_id', 'call', 'metadata'])
    .where(isAnyOf(queries, 'batch_id', batchIds, 'uuid'))
    .execute();
  return new Map(
    rows.map(({ batch_id, file_id: fileId, call, metadata }) => [
      batch_id,
      { fileId, call, metadata: metadata === null ? null : (JSON.parse(metadata) as Metadata) }, // only insertSource writes it
    ]),
  );
}

export async function findAnswers(queries: Queries, batchId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('batch_sources')
    .select('answers')
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
  return row?.answers;
}
