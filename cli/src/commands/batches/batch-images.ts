import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { connect } from '../../client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatBytes } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printJson, tell } from '../../output.ts';
import { assertNoTerminal, dash, sendToStandardOutput } from '../../standard-streams.ts';

export function addBatchImages(batch: Command): void {
  batch
    .command('images')
    .description('save the images that there are now as a zip')
    .argument('<id>', 'id of the batch')
    .option(
      '-o, --output <file>',
      'where to save; replaces what is there; - for the standard output (default: batch-ID.zip)',
    )
    .option('--json', 'print one JSON object')
    .action(saveImages);
}

async function saveImages(id: string, { output, json }: { output?: string; json?: true }): Promise<void> {
  if (output === dash) return sendImages(id, json === true);
  const { batches } = await connect();
  const file = resolve(output ?? `batch-${encodeURIComponent(id)}.zip`);
  // What is there is replaced by a whole archive only.
  const part = `${file}.part`;
  const farewell = { message: 'Stopped. Nothing was saved.', next: 'the images stay on the server' };
  const target = createWriteStream(part);
  try {
    await interruptible(farewell, (signal) =>
      pipeline(Readable.from(batches.images(id, { signal })), target),
    );
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  const saved = { file, bytes: target.bytesWritten };
  if (json) return printJson(saved);
  tell(`Saved ${formatBytes(saved.bytes)}.`);
  print(file);
}

async function sendImages(id: string, json: boolean): Promise<void> {
  if (json)
    throw new CliError(exitCodes.usage, 'The archive and --json cannot both go to stdout.', 'choose a file');
  assertNoTerminal();
  const { batches } = await connect();
  const farewell = { message: 'Stopped.', next: 'the images stay on the server' };
  await interruptible(farewell, (signal) => sendToStandardOutput(batches.images(id, { signal })));
}
