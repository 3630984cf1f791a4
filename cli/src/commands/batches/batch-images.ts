import { open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { chooseTarget } from '../../files/save-image.ts';
import { saveStream } from '../../files/save-stream.ts';
import { formatBytes } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printJson, tell } from '../../output.ts';
import { dash, sendToStandardOutput } from '../../standard-streams.ts';

export function addBatchImages(batch: Command): void {
  batch
    .command('images')
    .description('save the images that there are now as a zip')
    .argument('<id>', 'id of the batch')
    .option(
      '-o, --output <file>',
      'where to save: a file, which is replaced, or a folder; - for the standard output (default: batch-ID.zip)',
    )
    .option('--json', 'print one JSON object')
    .action(saveImages);
}

async function saveImages(id: string, { output, json }: { output?: string; json?: true }): Promise<void> {
  const chosen = await chooseTarget(output, { json: json === true });
  if (chosen === dash) return sendImages(id);
  const { batches } = await connect();
  const file = resolve(
    'folder' in chosen ? join(chosen.folder, `batch-${encodeURIComponent(id)}.zip`) : chosen.file,
  );
  // Only a complete archive replaces an existing file.
  const part = `${file}.part`;
  const farewell = { message: 'Stopped. Nothing was saved.', next: 'the images stay on the server' };
  const target = { file, open: () => open(part, 'w'), next: 'choose another place with -o FILE' };
  let bytes: number;
  try {
    bytes = await interruptible(farewell, (signal) => saveStream(target, batches.images(id, { signal })));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  const saved = { file, bytes };
  if (json) return printJson(saved);
  tell(`Saved ${formatBytes(saved.bytes)}.`);
  print(file);
}

async function sendImages(id: string): Promise<void> {
  const { batches } = await connect();
  const farewell = { message: 'Stopped.', next: 'the images stay on the server' };
  await interruptible(farewell, (signal) => sendToStandardOutput(batches.images(id, { signal })));
}
