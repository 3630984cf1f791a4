import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatBytes } from '../../format.ts';
import { onDatabase } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';
import { dash } from '../../standard-streams.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy the database, of any version, to a file while the server runs')
    .argument('<file>', 'new file')
    .option('--json', 'print one JSON object')
    .action(backUp);
}

async function backUp(file: string, { json }: { json?: true }): Promise<void> {
  if (file === dash)
    throw new CliError(
      exitCodes.usage,
      'A backup is written into a file, which the database checks before it is whole.',
      'give a file, and send that on',
    );
  const saved = await onDatabase((server) => server.backUpDatabase(process.env, resolve(file)));
  if (json) return printJson(saved);
  tell(`Saved ${formatBytes(saved.bytes)}. Images are not in it: copy the image store as well.`);
  print(saved.file);
}
