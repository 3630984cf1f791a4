import type { ModelDefinition, RouteDefinition } from './model-definition.ts';

// People read audit entries, so a longer list is cut. The versions have all changes.
const maxChanges = 40;
const maxLength = 120;

/** Lists differences by path, such as `"0.04" → "0.05"` for `resolutions.1K.price`. */
export function describeChanges(
  before: ModelDefinition | null,
  after: ModelDefinition | null,
): Record<string, string> {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => old.get(path) !== now.get(path),
  );
  const changes = paths
    .slice(0, maxChanges)
    .map((path) => [path, `${shown(old.get(path))} → ${shown(now.get(path))}`]);
  const more = paths.length - maxChanges;
  return { ...Object.fromEntries(changes), ...(more > 0 && { more: `${more} further fields` }) };
}

function leavesOf(value: unknown, path = '', leaves = new Map<string, string>()): Map<string, string> {
  if (path === 'routes' && Array.isArray(value)) addRoutes(value, leaves);
  else if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0
  ) {
    for (const [name, child] of Object.entries(value))
      leavesOf(child, path ? `${path}.${name}` : name, leaves);
  } else if (value !== null && value !== undefined) leaves.set(path, JSON.stringify(value));
  return leaves;
}

/** Keys routes by name, so that a move is a single change: the new order of names. */
function addRoutes(routes: readonly RouteDefinition[], leaves: Map<string, string>): void {
  const names: string[] = [];
  for (const route of routes) {
    const wanted = String(route.name ?? route.connection ?? route.provider);
    const same = names.filter((name) => name === wanted || name.startsWith(`${wanted}-`)).length;
    const name = names.includes(wanted) ? `${wanted}-${same + 1}` : wanted;
    names.push(name);
    leavesOf(route, `routes.${name}`, leaves);
  }
  leaves.set('routes', names.join(', ') || 'none');
}

function shown(text = 'nothing'): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
