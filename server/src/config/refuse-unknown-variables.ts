import { SettingError } from '../errors.ts';
import { nearest } from '../std/nearest.ts';
import { settingNames } from './config-report.ts';

/** What clients on the same machine read. */
const clientNames = ['DARKROOM_URL', 'DARKROOM_API_KEY', 'DARKROOM_API_KEY_FILE'];

const known = [...settingNames, ...clientNames].filter((name) => name.startsWith('DARKROOM_'));

/**
 * A setting that is misspelt would be none: images in the wrong place, a secret that is not used.
 *
 * @throws SettingError
 */
export function refuseUnknownVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('DARKROOM_') || value === undefined) continue;
    if (known.includes(name) || isOfKubernetes(name, value)) continue;
    // Compared by what is their own: all of them begin alike.
    const own = (text: string) => text.slice('DARKROOM_'.length);
    const near = nearest(own(name), known.map(own));
    const next = near ? `did you mean DARKROOM_${near}?` : 'docs/guides/operating.md lists those that exist.';
    throw new SettingError(`${name} is not a setting; ${next}`);
  }
}

/** A service that is called `darkroom` or `darkroom-…` is told to every container of its namespace in such variables. */
function isOfKubernetes(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_|$)/.test(name)) return true;
  return (
    /_PORT(_|$)/.test(name) && (/^(tcp|udp|sctp):\/\//.test(value) || /_PORT_\d+_(TCP|UDP|SCTP)_/.test(name))
  );
}
