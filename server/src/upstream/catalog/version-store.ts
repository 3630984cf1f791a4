import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { ModelVersionsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { ModelDefinition } from './model-definition.ts';

export interface ModelVersion {
  model: string;
  version: number;
  /** Null if this version removed the model. */
  definition: ModelDefinition | null;
  source: ModelVersionsTable['source'];
  author: { id: string | null; name: string };
  createdAt: number;
}

export type NewVersion = Omit<ModelVersion, 'version' | 'createdAt'>;

/**
 * A value that changes with every change of a model or connection, in any process. The sum of the times, because their
 * maximum stays the same after the clock was set back.
 */
export const modelsRevision = sql<string>`select
    (select count(*) from model_versions) || ' ' || (select count(*) from connections) || ' ' ||
    (select coalesce(sum(changed_at), 0) from connections)`;

/** Lists the newest version of each model, even of removed models, in the order in which the models were created. */
export async function listNewest(queries: Queries): Promise<ModelVersion[]> {
  const rows = await queries
    .selectFrom('model_versions as newest')
    .selectAll()
    .where('version', '=', ({ selectFrom }) =>
      selectFrom('model_versions as own')
        .select(({ fn }) => fn.max('own.version').as('version'))
        .whereRef('own.model', '=', 'newest.model'),
    )
    .orderBy(({ selectFrom }) =>
      selectFrom('model_versions as own')
        .select(({ fn }) => fn.min('own.created_at').as('at'))
        .whereRef('own.model', '=', 'newest.model'),
    )
    .orderBy('model')
    .execute();
  return rows.map(toVersion);
}

export async function listVersions(queries: Queries, model: string, limit?: number): Promise<ModelVersion[]> {
  const rows = await queries
    .selectFrom('model_versions')
    .selectAll()
    .where('model', '=', model)
    .orderBy('version', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(toVersion);
}

export async function findVersion(
  queries: Queries,
  model: string,
  version: number,
): Promise<ModelVersion | undefined> {
  const row = await queries
    .selectFrom('model_versions')
    .selectAll()
    .where('model', '=', model)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && toVersion(row);
}

/** Returns false if another process has already added the version. */
export async function insertVersion(tx: Tx, added: NewVersion, after: number): Promise<boolean> {
  const result = await tx
    .insertInto('model_versions')
    .values({
      model: added.model,
      version: after + 1,
      definition: added.definition && JSON.stringify(added.definition),
      source: added.source,
      author_id: added.author.id,
      author_name: added.author.name,
      created_at: nowMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

function toVersion(row: ModelVersionsTable): ModelVersion {
  return {
    model: row.model,
    version: row.version,
    definition: row.definition === null ? null : (JSON.parse(row.definition) as ModelDefinition), // checked before the write
    source: row.source,
    author: { id: row.author_id, name: row.author_name },
    createdAt: row.created_at,
  };
}
