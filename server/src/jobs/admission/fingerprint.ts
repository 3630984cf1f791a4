import { hash } from 'node:crypto';
import { usualOutput } from '../../images/output.ts';
import { defaultResolution, type Model } from '../../upstream/catalog/models.ts';

/** The fingerprint of a method, path and validated body. The order of fields and explicit defaults do not matter. */
export function fingerprintOf(
  method: string,
  route: string,
  body: Record<string, unknown>,
  model?: Model,
): string {
  const said: [string, unknown][] = [];
  for (const name in body)
    if (!objects.has(name) && body[name] !== defaultOf(name, model)) said.push([name, body[name]]);
  if (body.parameters) {
    const chosen = Object.entries(body.parameters).filter(
      ([name, value]) => value !== model?.parameters[name]?.default,
    );
    if (chosen.length > 0) said.push(['parameters', sorted(chosen)]);
  }
  for (const name of ['metadata', 'origin'] as const) {
    const pairs = Object.entries(body[name] ?? {});
    if (pairs.length > 0) said.push([name, sorted(pairs)]);
  }
  return hash('sha256', `${method} ${route}\n${JSON.stringify(sorted(said))}`, 'hex');
}

/** The object fields, whose keys may have any order. */
const objects: ReadonlySet<string> = new Set(['parameters', 'metadata', 'origin']);

function defaultOf(name: string, model: Model | undefined): unknown {
  if (name === 'callback_url') return null;
  if (Object.hasOwn(usualOutput, name)) return usualOutput[name as keyof typeof usualOutput];
  return name === 'resolution' ? model && defaultResolution(model) : undefined;
}

function sorted(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
