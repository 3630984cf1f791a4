import Type, { type Static } from 'typebox';
import type { Actor } from '../../../../base/audit/audit-store.ts';
import { closed, oneOf } from '../../../../base/http/schemas.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import { describeGaps } from '../../../../jobs/routes/coverage.ts';
import { defaultRoutes } from '../../../../jobs/routes/default-routes.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import type { RouteEnvironment } from '../../../../jobs/routes/resolve-routes.ts';
import type { LiveCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { changeModels, type ModelChange } from '../../../../upstream/catalog/change-models.ts';
import type { ModelDefinition, RouteDefinition } from '../../../../upstream/catalog/model-definition.ts';
import type { ModelId } from '../../../../upstream/catalog/models.ts';
import type { Connection } from '../../../../upstream/connections/connection.ts';
import type { ConnectionCheck } from '../../nouns/connections/connection-json.ts';
import type { InstalledModelDeps } from '../../nouns/installed-models/installed-model-calls.ts';
import { lockOf } from '../../nouns/installed-models/installed-model-json.ts';

export interface ServeDeps extends InstalledModelDeps {
  catalogue: LiveCatalogue;
  routes: LiveRoutes;
  implied: RouteEnvironment['implied'];
}

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const settings = Type.Record(Type.String(), Type.Unknown());

export const price = text(20);

/**
 * A model to serve through the connection. `place` says whether the new route comes before or after the model's other
 * routes. Routes of `sketch` are dropped. `cost` is per image.
 */
export const serving = closed({
  ...{ model: text(40), settings, place: oneOf(['first', 'last']) },
  cost: Type.Optional(price),
});
export type Serving = Static<typeof serving>;

export const newNames = {
  id: text(40),
  name: text(100),
  ratios: Type.Array(text(20), { minItems: 1, maxItems: 50 }),
};

/** `max_inputs` is 0 if the model takes no inputs. `prices` are by resolution (1K, 2K, 4K). */
export const newModel = closed({
  ...newNames,
  settings,
  cost: Type.Optional(price),
  max_inputs: Type.Integer({ minimum: 0, maximum: 14 }),
  prices: Type.Record(Type.String({ maxLength: 20 }), price, { minProperties: 1, maxProperties: 3 }),
});

/** `uncovered` are sentences about possible requests that no route serves now. */
export interface Changed {
  models: ModelId[];
  uncovered: string[];
}

export function presentServable(deps: ServeDeps, { provider, baseUrl }: Connection, trial: ConnectionCheck) {
  const usual = defaultRoutes(provider, baseUrl);
  const servable = trial.ok ? trial.models.filter(({ settings }) => settings !== undefined) : [];
  const ids = servable.map(({ id }) => id);
  const first = ids.find((id) => /image|flux|diffusion|sd[x\d]|dall|banana/i.test(id)) ?? ids[0] ?? null;
  return deps.catalogue.newest().flatMap(({ model, definition }) => {
    if (!definition) return [];
    const [route] = usual[model] ?? [];
    const wanted = route && 'model' in route ? route.model : undefined;
    return {
      model,
      name: definition.name,
      /** The place that sets the model's routes, if they cannot be changed here. */
      locked: routesLockOf(deps, model),
      /** The model's current routes, in order, without those of `sketch`. */
      routes: realRoutes(deps, model, definition).map((own) => ({
        connection: textOf(own.connection),
        provider: textOf(own.provider) ?? '',
        upstream: textOf(own.model),
      })),
      /** The upstream model that suits this model best, if any. */
      recommended: wanted !== undefined && ids.includes(wanted) ? wanted : first,
      /** True if the model has parameters. A new route takes none, so jobs with parameters need other routes. */
      has_parameters: Object.keys(definition.parameters ?? {}).length > 0,
    };
  });
}

export async function serveModels(
  deps: ServeDeps,
  connection: Connection,
  { models, by }: { models: readonly Serving[]; by: Actor },
): Promise<Changed> {
  const changes = models.map(({ model, place, ...added }): ModelChange => {
    const newest = deps.catalogue.newest().find((version) => version.model === model);
    if (!newest?.definition) throw new AppError('not_found', `There is no model "${model}".`);
    const { definition, version: after } = newest;
    const others = realRoutes(deps, model, definition).filter((one) => one.connection !== connection.name);
    const own = routesThrough(connection, model, added);
    const routes = place === 'first' ? [...own, ...others] : [...others, ...own];
    return { id: model, definition: { ...definition, routes }, after };
  });
  return change(deps, changes, by);
}

export async function addModel(
  deps: ServeDeps,
  connection: Connection,
  { added, by }: { added: Static<typeof newModel>; by: Actor },
): Promise<Changed> {
  const { id, name, ratios, max_inputs: maxInputs, prices } = added;
  return addDefinition(
    deps,
    {
      id,
      name,
      modes: maxInputs > 0 ? ['text', 'url'] : ['text'],
      ...(maxInputs > 0 && { maxInputs }),
      ratios,
      resolutions: Object.fromEntries(
        Object.entries(prices).map(([resolution, price]) => [
          resolution,
          { price, megapixels: megapixels[resolution] ?? 1, multipleOf },
        ]),
      ),
      routes: routesThrough(connection, id, added),
    },
    by,
  );
}

// The sizes of the specified models. Their sides are multiples that every model family accepts.
const megapixels: Readonly<Record<string, number>> = { '1K': 1, '2K': 4, '4K': 16 };
export const multipleOf = 16;

export async function addDefinition(
  deps: ServeDeps,
  definition: ModelDefinition,
  by: Actor,
): Promise<Changed> {
  if (deps.catalogue.find(definition.id))
    throw invalidField('/id', `is taken: there is already a model "${definition.id}". Choose another.`);
  const { id } = definition;
  const after = deps.catalogue.newest().find(({ model }) => model === id)?.version ?? 0;
  return change(deps, [{ id, definition, after }], by);
}

async function change(deps: ServeDeps, changes: readonly ModelChange[], by: Actor): Promise<Changed> {
  const { database, catalogue, fileModels: file, routes } = deps;
  const check = { file, ...(await deps.openRouteCheck()) };
  await changeModels({ database, ...check }, changes, by);
  await deps.followChanges();
  const models = changes.map(({ id }) => id);
  const own = catalogue.list().filter(({ id }) => models.includes(id));
  return { models, uncovered: describeGaps(own, routes) };
}

/** The place that sets the model's routes, if the file has one. Places that set only prices do not count. */
function routesLockOf(deps: ServeDeps, model: ModelId): string | null {
  const { file, places } = lockOf(deps.fileModels, model) ?? { file: '', places: [] };
  const own = places.filter((place) => !place.startsWith('/prices/'));
  return own.length > 0 ? `${own.join(', ')} in ${file}` : null;
}

/** A model's own or implied routes, except those of `sketch`, whose drawings must not replace real images. */
function realRoutes(
  { implied }: Pick<ServeDeps, 'implied'>,
  model: ModelId,
  { routes }: ModelDefinition,
): RouteDefinition[] {
  const all: readonly RouteDefinition[] = routes ?? implied[model] ?? [];
  return all.filter(({ provider }) => provider !== 'sketch');
}

/**
 * Returns a model's routes through a connection: the provider's usual routes if the first has this upstream model,
 * otherwise one route.
 */
function routesThrough(
  { name: connection, provider, baseUrl }: Connection,
  model: ModelId,
  { settings, cost }: Pick<Serving, 'settings' | 'cost'>,
): RouteDefinition[] {
  const more = { connection, ...(cost !== undefined && { cost }) };
  const usual = defaultRoutes(provider, baseUrl)[model] ?? [];
  const [first] = usual;
  if (first && 'model' in first && first.model === settings.model)
    return usual.map(({ provider: _provider, name: _name, ...route }) => ({ ...route, ...more }));
  const slots = first?.slots === undefined ? {} : { slots: first.slots };
  return [{ ...settings, ...more, fit: 'crop', upscale: true, ...slots }];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
