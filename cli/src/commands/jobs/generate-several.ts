import { parse } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { Target } from '../../files/save-image.ts';
import { type ShowOptions, showImage } from '../../images/show-image.ts';
import { print, printJson } from '../../output.ts';
import { type Progress, startProgress } from '../../progress.ts';
import { dash } from '../../standard-streams.ts';
import { collectImage, createImage, describeImage, type Wanted } from './create-image.ts';

interface Options extends ShowOptions {
  count: number;
  wait: boolean;
  quiet?: true;
  json?: true;
}

/** Makes several images of one request at the same time. Finished images are saved even if others fail. */
export async function generateSeveral(wanted: Wanted, options: Options): Promise<void> {
  using bar = startBar(options.count, { quiet: options.quiet === true || options.json === true });
  const wishes = Array.from({ length: options.count }, (_, at) => ({
    ...wanted,
    target: numbered(wanted.target, at + 1),
  }));
  const ends = await Promise.allSettled(
    wishes.map(async (wish) => {
      const created = await createImage(wish, bar.part);
      if (!options.wait) return options.json ? printJson(created.created) : print(created.created.job_id);
      const made = await collectImage(created, wish, bar.part).catch((error: unknown) => {
        bar.failed();
        throw error;
      });
      if (options.json) return printJson(describeImage(made));
      print(made.file);
      await showImage(made.file, options);
    }),
  );
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const [first] = errors;
  if (first === undefined) return;
  const stopped = errors.find(
    (error) => error instanceof CliError && error.exitCode >= exitCodes.interrupted,
  );
  if (stopped instanceof CliError)
    throw new CliError(
      stopped.exitCode,
      'Stopped waiting. The jobs continue on the server.',
      'see them with: darkroom jobs list',
    );
  if (errors.length > 1) bar.part.note(`${errors.length} of ${options.count} failed; the first:`);
  throw first;
}

/** `fox.png` becomes `fox-2.png`. In a folder, each image already gets its own name. */
function numbered(target: Target, number: number): Target {
  if (target === dash || 'folder' in target) return target;
  const { dir, name, ext } = parse(target.file);
  return { file: `${dir === '' ? '' : `${dir}/`}${name}-${number}${ext}` };
}

/** Shows one line for all jobs and their progress; each job that ends prints a line that stays. */
function startBar(
  count: number,
  options: { quiet: boolean },
): Disposable & { part: Progress; failed(): void } {
  const progress = startProgress(options);
  let ended = 0;
  const show = () => progress.showCount(ended, count);
  const end = (text: string) => {
    ended += 1;
    progress.note(`${ended} of ${count}  ${text}`);
    if (ended < count) show();
  };
  show();
  return {
    part: {
      // Silences each job's own progress: several lines would alternate too fast to read.
      show() {},
      showCount() {},
      note: progress.note,
      finish: end,
      [Symbol.dispose]() {},
    },
    failed: () => end('failed'),
    [Symbol.dispose]: () => progress[Symbol.dispose](),
  };
}
