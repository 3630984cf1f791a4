import type { ModelDefinition } from './model-definition.ts';

// An audit entry is for people; the versions themselves hold everything.
const maxChanges = 40;
const maxLength = 120;

/** What differs between two versions, by path: `price of 1K: "0.04" → "0.05"` has the path `resolutions.1K.price`. */
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
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    for (const [name, child] of Object.entries(value))
      leavesOf(child, path ? `${path}.${name}` : name, leaves);
  } else if (value !== null && value !== undefined) leaves.set(path, JSON.stringify(value));
  return leaves;
}

function shown(text = 'nothing'): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
