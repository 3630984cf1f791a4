import type {
  ModelDefinition,
  ParameterSchema,
  RouteDefinition,
  SizingDefinition,
} from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

/** An entry of a list that is being edited. Its key stays the same while the entry moves and its name changes. */
export interface Keyed<Value> {
  key: number;
  name: string;
  value: Value;
}

/** A definition being edited. It has lists, not objects, so that names may be empty or equal while the person types. */
export interface Draft {
  base: ModelDefinition;
  resolutions: Keyed<SizingDefinition>[];
  parameters: Keyed<ParameterSchema>[];
  /** Null for the routes that the environment implies. */
  routes: Keyed<RouteDefinition>[] | null;
}

let lastKey = 0;

export function keyed<Value>(name: string, value: Value): Keyed<Value> {
  lastKey += 1;
  return { key: lastKey, name, value };
}

/** Reads JSON typed by a person. It may lack fields, which the server reports. */
export function toDraft(base: ModelDefinition): Draft {
  const list = <Value>(values: Record<string, Value> | undefined) =>
    Object.entries(values ?? {}).map(([name, value]) => keyed(name, value));
  return {
    base: { ...base, modes: base.modes ?? [], ratios: base.ratios ?? [] },
    resolutions: list(base.resolutions),
    parameters: list(base.parameters),
    routes: Array.isArray(base.routes) ? base.routes.map((route) => keyed('', route)) : null,
  };
}

export function toDefinition({ base, resolutions, parameters, routes }: Draft): ModelDefinition {
  const { parameters: _parameters, routes: _routes, ...rest } = base;
  return {
    ...rest,
    resolutions: toRecord(resolutions),
    ...(parameters.length > 0 && { parameters: toRecord(parameters) }),
    ...(routes && { routes: routes.map(({ value }) => value) }),
  };
}

/** Finds a name that a list has twice. Names become field names of the definition, so each may occur only once. */
export function repeatedName({ resolutions, parameters }: Draft): string | undefined {
  return [resolutions, parameters]
    .map((list: readonly Keyed<unknown>[]) => list.map(({ name }) => name))
    .flatMap((names) => names.filter((name, index) => names.indexOf(name) !== index))[0];
}

export function replaced<Value>(list: readonly Keyed<Value>[], changed: Keyed<Value>): Keyed<Value>[] {
  return list.map((one) => (one.key === changed.key ? changed : one));
}

export function without<Value>(list: readonly Keyed<Value>[], { key }: Keyed<Value>): Keyed<Value>[] {
  return list.filter((one) => one.key !== key);
}

export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}

export function withField<Value extends object>(value: Value, name: string, field: unknown): Value {
  const { [name]: _before, ...rest } = value as Record<string, unknown>;
  const isLeftOut = field === undefined || field === '' || field === false;
  return (isLeftOut ? rest : { ...value, [name]: field }) as Value; // the server checks every field
}

export function nameOfRoute(route: RouteDefinition): string {
  return String(route.name ?? route.connection ?? route.provider ?? t('new route'));
}

function toRecord<Value>(list: readonly Keyed<Value>[]): Record<string, Value> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}
