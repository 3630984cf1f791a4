import { resolve } from 'node:path';
import {
  type JobCreated,
  JobFailed,
  type JobRequest,
  type ModelId,
  type ParameterValue,
} from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseDurationMs, parseModel, parsePair, parseParameter } from '../../arguments.ts';
import { connect } from '../../client.ts';
import { followJob } from '../../follow-job.ts';
import { quoteForShell } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printJson } from '../../output.ts';
import { noteRetry, type Progress, startProgress } from '../../progress.ts';
import { isInput, readInputs } from '../../read-inputs.ts';
import { chooseTarget, fileFor, saveImage } from '../../save-image.ts';

export function addGenerate(program: Command): void {
  program
    .command('generate')
    .description('make an image and save it')
    .argument('[prompt]', 'what the image shows')
    .option('-m, --model <model>', 'nb: fast, nb2: better, pro: best, or one of your own', parseModel, 'nb2')
    .option('-a, --aspect-ratio <ratio>', 'such as 16:9, 1:4, auto', '1:1')
    .option('-r, --resolution <size>', '1K, 2K or 4K; nb2 and pro only (default: 1K)')
    .option('-i, --input <image...>', 'images to start from, up to 14: files, URLs, - for the standard input')
    .option(
      '-p, --parameter <name=value>',
      'a wish that the model takes, such as seed=7; any number',
      parseParameter,
    )
    .option(
      '-o, --output <file>',
      'where to save; replaces what is there (default: a new file named after the prompt)',
    )
    .option('--metadata <name=value>', 'kept with the job, to find it by; any number', parsePair)
    .option('--deadline <duration>', 'fail for free unless it is done by then, such as 90s', parseDurationMs)
    .option('--callback-url <url>', 'webhook for this job')
    .option('--no-wait', 'only create the job and print its id')
    .option('-q, --quiet', 'no progress')
    .option('--json', 'print the job as one JSON object')
    .addHelpText('after', examples)
    .action((prompt: string | undefined, options: Options, command: Command) =>
      prompt === undefined ? generateFromLastInput(options, command) : generate(prompt, options),
    );
}

const examples = `
Examples:
  darkroom generate "a red fox in the snow"
  darkroom generate "a harbour at dawn" -m pro -a 16:9 -r 4K -o harbour.png
  darkroom generate "as a pencil drawing" -a auto -i cat.jpg
  curl -s https://example.com/cat.jpg | darkroom generate "the same, at night" -a auto -i -
  darkroom generate "a fox" -m flux -p seed=7 -p steps=28
  darkroom generate "a fox" --json | jq -r .file

The path of the file goes to stdout. Ctrl-C stops the waiting, not the job.`;

interface Options {
  model: ModelId;
  aspectRatio: string;
  resolution?: string;
  input?: string[];
  parameter?: Record<string, ParameterValue>;
  deadline?: number;
  metadata?: Record<string, string>;
  output?: string;
  callbackUrl?: string;
  wait: boolean;
  quiet?: true;
  json?: true;
}

/** `-i IMAGE "PROMPT"`: the option consumes all arguments, so the last one is the prompt unless it is an image. */
function generateFromLastInput(options: Options, command: Command): Promise<void> {
  const prompt = options.input?.at(-1);
  if (prompt === undefined || isInput(prompt)) command.error("error: missing required argument 'prompt'");
  const input = options.input?.slice(0, -1) ?? [];
  const { input: _, ...others } = options;
  return generate(prompt, input.length === 0 ? others : { ...others, input });
}

async function generate(prompt: string, options: Options): Promise<void> {
  const target = await chooseTarget(options.output);
  using progress = startProgress({ quiet: options.quiet === true || options.json === true });
  const created = await create(prompt, options, progress);
  const comeBack = `darkroom jobs wait ${created.job_id} -o ${quoteForShell(fileFor(target, created, prompt))}`;
  if (!options.wait) {
    if (options.json) return printJson(created);
    progress.finish(`Accepted. Come back with: ${comeBack}`);
    return print(created.job_id);
  }

  progress.show(created.status);
  const { job, darkroom } = await followJob(created.job_id, { progress, comeBack });
  if (job.status === 'failed') throw new JobFailed(job);
  const farewell = { message: 'Stopped before the image was saved.', next: `get it with: ${comeBack}` };
  const file = await interruptible(farewell, (signal) =>
    saveImage({ darkroom, job, target, prompt }, signal),
  );
  if (options.json) printJson({ ...job, file: resolve(file) });
  else print(file);
}

async function create(prompt: string, options: Options, progress: Progress): Promise<JobCreated> {
  const images = await readInputs(options.input ?? []);
  const request = { ...requestOf(prompt, options), ...(images.length > 0 && { input_images: images }) };
  const darkroom = await connect({ onRetry: noteRetry(progress) });
  progress.show('sending');
  const farewell = {
    message: 'Stopped before the server answered. It may have accepted the job.',
    next: 'look for it with: darkroom jobs list',
  };
  return interruptible(farewell, (signal) => darkroom.createJob(options.model, request, { signal }));
}

/** Ratios, sizes and URLs are not checked here: the server knows the models, and reports the wrong field. */
function requestOf(prompt: string, options: Options): JobRequest {
  return {
    prompt,
    aspect_ratio: options.aspectRatio,
    ...(options.resolution !== undefined && { resolution: options.resolution }),
    ...(options.parameter !== undefined && { parameters: options.parameter }),
    ...(options.deadline !== undefined && { deadline: options.deadline / 1_000 }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
    ...(options.callbackUrl !== undefined && { callback_url: options.callbackUrl }),
  };
}
