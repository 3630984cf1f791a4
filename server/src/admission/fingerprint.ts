import { hash } from 'node:crypto';
import { defaultResolution, type Model } from '../catalog/models.ts';

/**
 * Two requests are the same when method, path and validated body are: the order of fields and written-out
 * defaults do not matter.
 */
export function fingerprintOf(
  method: string,
  route: string,
  body: Record<string, unknown>,
  model?: Model,
): string {
  const defaults: Record<string, unknown> = {
    resolution: model && defaultResolution(model),
    callback_url: null,
  };
  const { parameters, ...fields } = body;
  const said = Object.entries(fields).filter(([name, value]) => value !== defaults[name]);
  const chosen = Object.entries(parameters ?? {}).filter(
    ([name, value]) => value !== model?.parameters[name]?.default,
  );
  if (chosen.length > 0) said.push(['parameters', sorted(chosen)]);
  return hash('sha256', `${method} ${route}\n${JSON.stringify(sorted(said))}`, 'hex');
}

function sorted(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
