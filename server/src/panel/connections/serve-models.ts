import type { Viewer } from '../../accounts/sign-in/sessions.ts';
import { lockOf } from '../../api/nouns/installed-models/installed-model-json.ts';
import { changeModels, type ModelChange } from '../../catalog/change-models.ts';
import type { ModelDefinition, RouteDefinition } from '../../catalog/model-definition.ts';
import type { ModelId } from '../../catalog/models.ts';
import { defaultRoutes } from '../../config/default-routes.ts';
import type { Connection } from '../../connections/connection.ts';
import { AppError, invalidField } from '../../errors.ts';
import { describeGaps } from '../../routes/coverage.ts';
import { followChanges } from '../follow-changes.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Changed, ConnectionTrial, NewModel, ServableModel, Serving } from './contract.ts';

/** How the connection would serve each of our models, given what its upstream has. */
export function presentServable(
  deps: PanelDeps,
  { provider, baseUrl }: Connection,
  trial: ConnectionTrial,
): ServableModel[] {
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
      locked: routesLockOf(deps, model),
      routes: realRoutes(deps, model, definition).map((own) => ({
        connection: textOf(own.connection),
        provider: textOf(own.provider) ?? '',
        upstream: textOf(own.model),
      })),
      recommended: wanted !== undefined && ids.includes(wanted) ? wanted : first,
      has_parameters: Object.keys(definition.parameters ?? {}).length > 0,
    };
  });
}

/** Adds routes through a connection to models that exist. @throws as `changeModels` */
export async function serveModels(
  deps: PanelDeps,
  connection: Connection,
  { models, by }: { models: readonly Serving[]; by: Viewer },
): Promise<Changed> {
  const changes = models.map(({ model, settings, place }): ModelChange => {
    const definition = deps.catalogue.newest().find((version) => version.model === model)?.definition;
    if (!definition) throw new AppError('not_found', `There is no model "${model}".`);
    const others = realRoutes(deps, model, definition).filter((one) => one.connection !== connection.name);
    const own = routesThrough(connection, model, settings);
    const routes = place === 'first' ? [...own, ...others] : [...others, ...own];
    return { id: model, definition: { ...definition, routes } };
  });
  return change(deps, changes, by);
}

/** Makes a new model of one of the upstream's. @throws as `changeModels` */
export async function addModel(
  deps: PanelDeps,
  connection: Connection,
  { added, by }: { added: NewModel; by: Viewer },
): Promise<Changed> {
  const { id, name, settings, ratios, max_inputs: maxInputs, prices } = added;
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
      routes: [...routesThrough(connection, id, settings)],
    },
    by,
  );
}

// As the specified models have them; every family of models takes sides of this multiple.
const megapixels: Readonly<Record<string, number>> = { '1K': 1, '2K': 4, '4K': 16 };
export const multipleOf = 16;

/** @throws AppError `invalid_request` when there is such a model */
export async function addDefinition(
  deps: PanelDeps,
  definition: ModelDefinition,
  by: Viewer,
): Promise<Changed> {
  if (deps.catalogue.find(definition.id))
    throw invalidField('/id', `is taken: there is a model "${definition.id}". Choose another.`);
  return change(deps, [{ id: definition.id, definition }], by);
}

/** Takes all routes through a connection out of the models. */
export async function unserveModels(
  deps: PanelDeps,
  { name }: Pick<Connection, 'name'>,
  by: Viewer,
): Promise<ModelId[]> {
  const changes = deps.catalogue.newest().flatMap(({ model, definition }): ModelChange[] => {
    if (!definition?.routes?.some(({ connection }) => connection === name)) return [];
    const { routes: before, ...rest } = definition;
    const routes = before.filter(({ connection }) => connection !== name);
    const isImplied = routes.length === 0 && model in deps.implied;
    return [{ id: model, definition: isImplied ? rest : { ...rest, routes } }];
  });
  // The routes that stay were checked when they came, and one that broke since must not keep this one here.
  const check = { file: deps.fileModels, checkRoutes: () => [] };
  const changed = await changeModels({ database: deps.database, ...check }, changes, by);
  await followChanges(deps);
  return changed;
}

async function change(deps: PanelDeps, changes: readonly ModelChange[], by: Viewer): Promise<Changed> {
  const { database, catalogue, fileModels: file, routes } = deps;
  const check = { file, ...(await deps.openRouteCheck()) };
  await changeModels({ database, ...check }, changes, by);
  await followChanges(deps);
  const models = changes.map(({ id }) => id);
  const own = catalogue.list().filter(({ id }) => models.includes(id));
  return { models, uncovered: describeGaps(own, routes) };
}

/** Where the configuration file sets the routes of the model, in words; its prices may stand there all the same. */
function routesLockOf(deps: PanelDeps, model: ModelId): string | null {
  const { file, places } = lockOf(deps.fileModels, model) ?? { file: '', places: [] };
  const own = places.filter((place) => !place.startsWith('/prices/'));
  return own.length > 0 ? `${own.join(', ')} in ${file}` : null;
}

/** Its own routes or those that the environment implies, without `sketch`: a drawing must not stand in for a picture. */
function realRoutes(
  { implied }: Pick<PanelDeps, 'implied'>,
  model: ModelId,
  { routes }: ModelDefinition,
): RouteDefinition[] {
  const all: readonly RouteDefinition[] = routes ?? implied[model] ?? [];
  return all.filter(({ provider }) => provider !== 'sketch');
}

/** Where the provider's usual routes of the model begin with this upstream model, all of them. */
function routesThrough(
  { name: connection, provider, baseUrl }: Connection,
  model: ModelId,
  settings: Record<string, unknown>,
): RouteDefinition[] {
  const usual = defaultRoutes(provider, baseUrl)[model] ?? [];
  const [first] = usual;
  if (first && 'model' in first && first.model === settings.model)
    return usual.map(({ provider: _provider, name: _name, ...route }) => ({ ...route, connection }));
  const slots = first?.slots === undefined ? {} : { slots: first.slots };
  return [{ ...settings, connection, fit: 'crop', upscale: true, ...slots }];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
