import type { Database } from '../../base/db/database.ts';
import type { Changes } from '../../base/db/open-changes.ts';
import type { Queries } from '../../base/db/schema.ts';
import { invalidField } from '../../errors.ts';
import { toModel } from './model-definition.ts';
import type { Model, ModelId } from './models.ts';
import { specifiedModels } from './specified-models.ts';
import { findVersion, listNewest, type ModelVersion, modelsRevision } from './version-store.ts';

/** The models as this process read them, at most a second ago. */
export interface Catalogue {
  list(): readonly Model[];
  find(id: ModelId): Model | undefined;
  newest(): readonly ModelVersion[];
  knows(id: ModelId): boolean;
  /** The model in the version under which a job was accepted. Jobs of earlier versions of Darkroom use the newest. */
  at(queries: Queries, id: ModelId, version: number | null): Promise<Model>;
}

export interface LiveCatalogue extends Catalogue {
  /** Waits for the callback before the catalogue shows a change. The returned function unsubscribes. */
  onChange(callback: (newest: readonly ModelVersion[]) => Promise<void>): () => void;
}

export async function openCatalogue(database: Database, changes: Changes): Promise<LiveCatalogue> {
  // Older versions are cached while the process is running, because versions never change.
  const older = new Map<string, Model>();
  let snapshot = createSnapshot([], older);
  const callbacks = new Set<(newest: readonly ModelVersion[]) => Promise<void>>();

  await changes.follow({
    revision: modelsRevision,
    async read() {
      const newest = await listNewest(database.read);
      await Promise.all([...callbacks].map((callback) => callback(newest)));
      snapshot = createSnapshot(newest, older);
    },
  });
  return {
    list: () => snapshot.list(),
    find: (id) => snapshot.find(id),
    newest: () => snapshot.newest(),
    knows: (id) => snapshot.knows(id),
    at: (queries, id, version) => snapshot.at(queries, id, version),
    onChange(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

export function assertKnownModel(catalogue: Catalogue, id: ModelId, pointer: string): void {
  if (catalogue.knows(id)) return;
  const known = catalogue.list().map((model) => model.id);
  throw invalidField(pointer, `must be one of ${known.join(', ')}.`);
}

export async function readCatalogue(queries: Queries): Promise<Catalogue> {
  return createSnapshot(await listNewest(queries), new Map());
}

function createSnapshot(newest: readonly ModelVersion[], older: Map<string, Model>): Catalogue {
  const models = newest.flatMap(({ definition, version }) =>
    definition ? [toModel(definition, version)] : [],
  );
  const byId = new Map(models.map((model) => [model.id, model]));
  const known = new Set(newest.map(({ model }) => model));
  return {
    list: () => models,
    find: (id) => byId.get(id),
    newest: () => newest,
    knows: (id) => known.has(id),
    async at(queries, id, version) {
      const current = byId.get(id);
      if (current && (version === null || version === current.version)) return current;
      const name = `${id} ${version}`;
      const model = older.get(name) ?? (await readOlder(queries, id, version));
      older.set(name, model);
      return model;
    },
  };
}

async function readOlder(queries: Queries, id: ModelId, version: number | null): Promise<Model> {
  const found = version === null ? undefined : await findVersion(queries, id, version);
  // Jobs without a version belong to the specified models.
  const definition = found?.definition ?? specifiedModels.find((model) => model.id === id);
  if (!definition) throw new Error(`the model ${id} has no version ${version}`);
  return toModel(definition, version ?? 0);
}
