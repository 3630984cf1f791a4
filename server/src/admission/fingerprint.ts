import { hash } from 'node:crypto';

/** The defaults of the fields of a create request. */
export const bodyDefaults = { resolution: '1K', callback_url: null } as const;

/**
 * Two requests are the same when method, path and validated body are: the order of fields and written-out
 * defaults do not matter.
 */
export function fingerprintOf(method: string, route: string, body: Record<string, unknown>): string {
  const defaults: Record<string, unknown> = bodyDefaults;
  const said = Object.entries(body).filter(([name, value]) => value !== defaults[name]);
  const canonical = JSON.stringify(Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1))));
  return hash('sha256', `${method} ${route}\n${canonical}`, 'hex');
}
