import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Darkroom, Job } from '@darkroom/sdk';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { assertNoTerminal, dash, writeStandardOutput } from '../standard-streams.ts';
import { fileTrouble } from './file-trouble.ts';

/** The target of an image: a file to replace, a folder in which it gets an unused name, or the standard output. */
export type Target = { file: string } | { folder: string } | typeof dash;

/** Checks the target before a job is paid for. `output` is a file, a folder, `-`, or by default the current folder. */
export async function chooseTarget(output = '.', { json = false } = {}): Promise<Target> {
  if (output === dash) {
    assertNoTerminal();
    if (json)
      throw new CliError(exitCodes.usage, 'Images and --json cannot both go to stdout.', 'choose a file');
    return dash;
  }
  const isFolder = await stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const folder = isFolder ? output : dirname(output);
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new CliError(
      exitCodes.usage,
      `Cannot write to the folder ${folder}.`,
      'choose another place with -o FILE',
    );
  }
  return isFolder ? { folder } : { file: output };
}

export async function saveImage(
  { darkroom, job, target, prompt }: { darkroom: Darkroom; job: Job; target: Target; prompt?: string },
  signal?: AbortSignal,
): Promise<string> {
  const image = await darkroom.downloadImage(job, { signal });
  const bytes = new Uint8Array(await image.arrayBuffer());
  try {
    if (target === dash) {
      await writeStandardOutput(bytes);
      return dash;
    }
    if ('folder' in target) return await writeUnderFreeName(target.folder, defaultName(job, prompt), bytes);
    await writeFile(target.file, bytes);
    return target.file;
  } catch (error) {
    throw new CliError(
      exitCodes.unavailable,
      `The image is made, but could not be saved: ${fileTrouble(error)}.`,
      `get it with: darkroom jobs wait ${job.job_id} -o FILE`,
    );
  }
}

export function fileFor(target: Target, job: Pick<Job, 'job_id'>, prompt?: string): string {
  if (target === dash) return dash;
  return 'file' in target ? target.file : join(target.folder, defaultName(job, prompt));
}

/** Names a file as `a-red-fox-in-the-snow-1f0c9a7e.png`: words of the prompt and the random end of the id. */
function defaultName(job: Pick<Job, 'job_id'> & Partial<Job>, prompt = ''): string {
  const words = prompt
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const short = [...words].slice(0, longestWords).join('');
  // Drops the last word if it was cut, unless it is the only word.
  const whole = short === words ? short : short.replace(/(.)-[^-]*$/u, '$1');
  const start = whole.replace(/-$/, '') || 'image';
  return `${start}-${job.job_id.slice(-8)}.${extensions[job.result?.media_type ?? ''] ?? 'png'}`;
}

const longestWords = 40;

const extensions: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

async function writeUnderFreeName(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const dot = name.lastIndexOf('.');
  for (let copy = 1; ; copy++) {
    const path = join(folder, copy === 1 ? name : `${name.slice(0, dot)}-${copy}${name.slice(dot)}`);
    try {
      await writeFile(path, bytes, { flag: 'wx' });
      return path;
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!taken) throw error;
    }
  }
}
