import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { interruptible } from '../../interruptible.ts';
import { type Answer, isElsewhere, onThisMachine, withOperator } from '../../operator.ts';
import { printJson, printLine, tell } from '../../output.ts';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check every balance, ledger entry, job and image; changes nothing')
    .option('--resume', 'continue an interrupted verification')
    .option('--no-images', 'skip the images, which take longer than everything else')
    .option('--json', 'print one JSON object')
    .action(verify);
}

const farewell = (images: boolean) => ({
  message: 'The verification was stopped.',
  next: `darkroom verify --resume${images ? '' : ' --no-images'} continues from there`,
});

async function verify({
  json,
  resume = false,
  images,
}: {
  json?: true;
  resume?: boolean;
  images: boolean;
}): Promise<void> {
  // `--resume` works only on the server's machine, which has the record of the interrupted verification.
  if (isElsewhere() && !resume)
    return report(await withOperator((operator) => operator.selfCheck({ images })), json);
  const verification = await interruptible(farewell(images), (signal) =>
    onThisMachine((operator) => operator.verify({ resume, images, signal, onProgress: createReport() })),
  );
  report(verification, json);
}

type Verified = Omit<Answer<'selfCheck'>, 'complete' | 'ms'> & { complete?: boolean };

function report(verification: Verified, json: true | undefined): void {
  const { ok, checked, violations, complete = true } = verification;
  const counts = Object.entries(checked).map(([what, count]) => `${what} ${count}`);
  if (!ok) {
    if (!json) for (const { invariant, detail } of violations) printLine(`${invariant}  ${detail}`);
    throw new CliError(
      exitCodes.failed,
      `${violations.length} ${violations.length === 1 ? 'violation' : 'violations'} found. Checked: ${counts.join(', ')}.`,
      'make a backup (darkroom backup FILE) before anything is changed',
      verification,
    );
  }
  if (json) printJson(verification);
  else
    tell(
      `${complete ? 'No violations' : 'No violations in the rows read in time'}. Checked: ${counts.join(', ')}.`,
    );
}

const reportEveryMs = 5_000;

type Progress = { rows: number; ofRows: number; images: number; ofImages: number };

function createReport(): (progress: Progress) => void {
  const began = performance.now();
  let first: Progress | undefined;
  let toldAt = began;
  let imagesBegan: number | undefined;
  return (progress) => {
    first ??= progress;
    const now = performance.now();
    if (progress.images > first.images) imagesBegan ??= now;
    if (now - toldAt < reportEveryMs) return;
    toldAt = now;
    const { rows, ofRows, images, ofImages } = progress;
    const isAtImages = imagesBegan !== undefined;
    const [read, all, from] = isAtImages ? [images, ofImages, first.images] : [rows, ofRows, first.rows];
    // Once images are being read, the estimate uses only images, because rows are read at a different speed.
    const leftMs = ((now - (imagesBegan ?? began)) / Math.max(1, read - from)) * Math.max(0, all - read);
    const what = isAtImages ? 'images' : 'rows';
    // There is no estimate until a hundredth of the work is done. An account's entries count only once all of them have
    // been read, so this can take long.
    const isKnown = read - from >= all / 100;
    const left = isKnown ? `, about ${Math.ceil(leftMs / 60_000)} min left` : '';
    tell(`${read.toLocaleString('en')} of about ${Math.max(read, all).toLocaleString('en')} ${what}${left}`);
  };
}
