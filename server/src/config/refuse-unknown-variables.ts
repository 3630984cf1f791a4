import { nearest } from '../base/std/nearest.ts';
import { SettingError } from '../errors.ts';
import { settingNames } from './config-report.ts';

/** Variables of the command line and the SDK, which may be set on the same machine. */
const clientNames = ['DARKROOM_URL', 'DARKROOM_API_KEY', 'DARKROOM_API_KEY_FILE'];

const known = [...settingNames, ...clientNames].filter((name) => name.startsWith('DARKROOM_'));

/** Refuses misspelt settings, which could misplace images or leave a secret unused. @throws SettingError */
export function refuseUnknownVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('DARKROOM_') || value === undefined) continue;
    if (known.includes(name) || isOfKubernetes(name, value)) continue;
    // Compares without the common prefix, which would make all names look similar.
    const own = (text: string) => text.slice('DARKROOM_'.length);
    const near = nearest(own(name), known.map(own));
    const next = near ? `did you mean DARKROOM_${near}?` : 'docs/settings.md lists the variables.';
    throw new SettingError(`${name} is not a setting; ${next}`);
  }
}

/** Whether Kubernetes set a variable, as it does for a service named `darkroom` or `darkroom-…`. */
function isOfKubernetes(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT)(_|$)/.test(name)) return true;
  return (
    /_PORT(_|$)/.test(name) && (/^(tcp|udp|sctp):\/\//.test(value) || /_PORT_\d+_(TCP|UDP|SCTP)_/.test(name))
  );
}
