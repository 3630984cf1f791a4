import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { saveStream } from '../../files/save-stream.ts';
import { formatBytes } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';
import { assertNoTerminal, dash, sendToStandardOutput } from '../../standard-streams.ts';

export function addAccountExport(account: Command): void {
  account
    .command('export')
    .description('write all data of an account into an archive')
    .argument('<account>', 'id or name')
    .requiredOption('--to <file>', 'new zip file; - for the standard output')
    .option('--json', 'print one JSON object')
    .action(exportAccount);
}

async function exportAccount(account: string, { to, json }: { to: string; json?: true }): Promise<void> {
  if (to === dash) return sendAccount(account, json === true);
  const file = resolve(to);
  const handle = await openNew(file);
  const target = { file, open: async () => handle, next: 'choose another place with --to FILE' };
  let bytes: number;
  try {
    bytes = await interruptible(farewell, (signal) =>
      withOperator((operator) => saveStream(target, operator.exportAccount(account, { signal }))),
    );
  } catch (error) {
    await handle.close();
    await rm(file, { force: true }); // a partial archive would look like a whole one
    throw error;
  }
  const saved = { file, bytes };
  if (json) return printJson(saved);
  tell(`Saved ${formatBytes(saved.bytes)}: rows as JSON Lines, and images. No secrets are in it.`);
  print(file);
}

const farewell = { message: 'Stopped. Nothing was saved.', next: 'run the command again' };

async function openNew(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const message = isThere
      ? `${file} exists: an archive needs a new file.`
      : `Cannot write to the folder ${dirname(file)}.`;
    throw new CliError(exitCodes.usage, message, 'choose another place with --to FILE');
  }
}

async function sendAccount(account: string, json: boolean): Promise<void> {
  if (json)
    throw new CliError(exitCodes.usage, 'The archive and --json cannot both go to stdout.', 'choose a file');
  assertNoTerminal();
  await withOperator((operator) => sendToStandardOutput(operator.exportAccount(account)));
}
