import type { Command } from 'commander';
import { examine } from '../help/doctor.ts';
import { tellFindings } from '../help/findings.ts';

/** Makes `doctor` check this installation, unless the environment names a server or a key. */
export function examineHere(doctor: Command): void {
  doctor
    .description('check this installation, or the server of DARKROOM_URL or DARKROOM_API_KEY')
    .action(async (options: { json?: true }) => {
      const { DARKROOM_URL, DARKROOM_API_KEY, DARKROOM_API_KEY_FILE } = process.env;
      if (DARKROOM_URL || DARKROOM_API_KEY || DARKROOM_API_KEY_FILE) return examine(options);
      const { examineInstallation } = await import('@darkroom/server/operator');
      return tellFindings(examineInstallation(process.env), { json: options.json === true, width: 11 });
    });
}
