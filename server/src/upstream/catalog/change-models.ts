import { isDeepStrictEqual } from 'node:util';
import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { AppError } from '../../errors.ts';
import type { Mistake } from './check-definition.ts';
import { describeChanges } from './describe-changes.ts';
import { assertKept, type FileModels } from './file-models.ts';
import type { ModelDefinition } from './model-definition.ts';
import type { ModelId } from './models.ts';
import { insertVersion, listNewest, type ModelVersion } from './version-store.ts';

export interface ModelChange {
  id: ModelId;
  /** Null removes the model. */
  definition: ModelDefinition | null;
  /** The version on which the change is based; absent to replace any version. */
  after?: number;
}

export interface ChangeModelsDeps {
  database: Database;
  /** The models in the configuration file, which sets them again at every start. */
  file: FileModels;
  /** Checks whether routes can be opened, which the catalogue cannot know. */
  checkRoutes(definition: ModelDefinition): Mistake[];
}

/**
 * Writes all changes or none, and returns the changed models.
 * @throws AppError as `checkChanges`, and `changed_meanwhile`
 */
export async function changeModels(
  deps: ChangeModelsDeps,
  changes: readonly ModelChange[],
  by: Actor,
): Promise<ModelId[]> {
  await checkChanges(deps, changes);
  const changed = await deps.database.transaction((tx) => writeVersions(tx, changes, 'operator', by));
  if (changed.length > 0) deps.database.notify('models');
  return changed;
}

/** @throws AppError `invalid_request` with a pointer for each mistake, and for a model of the configuration file */
export async function checkChanges(
  { checkRoutes, file }: Pick<ChangeModelsDeps, 'checkRoutes' | 'file'>,
  changes: readonly ModelChange[],
): Promise<void> {
  // The check is loaded on first use, because it takes 10 MB and most processes do not need it.
  const { checkDefinition } = await import('./check-definition.ts');
  const mistakes = changes.flatMap(({ id, definition }) => {
    if (definition === null) return [];
    const own = checkDefinition(definition);
    const all = own.length > 0 ? own : checkRoutes(definition);
    return all.map((mistake) =>
      changes.length > 1 ? { ...mistake, pointer: `/${id}${mistake.pointer}` } : mistake,
    );
  });
  const [first] = mistakes;
  if (first) throw new AppError('invalid_request', `${first.pointer} ${first.detail}`, { errors: mistakes });
  for (const { id, definition } of changes) assertKept(file, id, definition);
}

/** Writes versions and their audit entries, except versions that equal the newest. */
export async function writeVersions(
  tx: Tx,
  changes: readonly ModelChange[],
  source: ModelVersion['source'],
  by: Actor,
): Promise<ModelId[]> {
  const newest = new Map((await listNewest(tx)).map((version) => [version.model, version]));
  const changed: ModelId[] = [];
  for (const { id, definition, after } of changes) {
    const before = newest.get(id);
    if (after !== undefined && after !== (before?.version ?? 0)) throw changedMeanwhile(id);
    if (isDeepStrictEqual(before?.definition ?? null, definition)) continue;
    const author = { id: by.personId, name: by.name };
    const added = await insertVersion(tx, { model: id, definition, source, author }, before?.version ?? 0);
    // Another process has added this version since the newest ones were read.
    if (!added) throw changedMeanwhile(id);
    changed.push(id);
    if (source === 'specified') continue; // part of a new installation, changed by no person
    await insertAuditEntry(tx, by, {
      action: definition === null ? 'model.removed' : before?.definition ? 'model.changed' : 'model.added',
      accountId: null,
      subject: id,
      detail: describeChanges(before?.definition ?? null, definition),
    });
  }
  return changed;
}

function changedMeanwhile(id: ModelId): AppError {
  return new AppError(
    'changed_meanwhile',
    `The model ${id} was changed meanwhile. Read it again, and make the change on its newest version.`,
  );
}
