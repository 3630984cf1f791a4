import {
  type Background,
  backgrounds,
  type JobRequest,
  type ModelId,
  type OutputFormat,
  outputFormats,
  type ParameterValue,
} from '@darkroom/sdk';
import { type Command, Option } from 'commander';
import {
  parseCount,
  parseDurationMs,
  parseModel,
  parsePair,
  parseParameter,
  parsePercent,
} from '../../arguments.ts';
import { CliError } from '../../cli-error.ts';
import { connect } from '../../client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { isInput, readInputs } from '../../files/read-inputs.ts';
import { chooseTarget } from '../../files/save-image.ts';
import { formatDuration } from '../../format.ts';
import { protocols } from '../../images/draw.ts';
import { type ShowOptions, showImage } from '../../images/show-image.ts';
import { print, printFacts, printJson } from '../../output.ts';
import { startProgress } from '../../progress.ts';
import { dash, readStandardInput } from '../../standard-streams.ts';
import { collectImage, createImage, describeImage } from './create-image.ts';
import { generateSeveral } from './generate-several.ts';

export function addGenerate(program: Command): void {
  program
    .command('generate')
    .description('make an image and save it')
    .argument('[prompt]', 'what the image shows; - for the standard input')
    .option('-m, --model <model>', 'nb: fast, nb2: better, pro: best, or one of your own', parseModel, 'nb2')
    .option('-a, --aspect-ratio <ratio>', 'such as 16:9, 1:4, auto', '1:1')
    .option('-r, --resolution <size>', '1K, 2K or 4K; nb2 and pro only (default: 1K)')
    .option('-i, --input <image...>', 'images to start from, up to 14: files, URLs, - for the standard input')
    .option('--mask <image>', 'change only the white parts of this mask, in the first input: a file or URL')
    .option(
      '-p, --parameter <name=value>',
      'a wish that the model takes, such as seed=7; any number',
      parseParameter,
    )
    .option(
      '-o, --output <file>',
      'where to save; replaces what is there; - for the standard output (default: a new file named after the prompt)',
    )
    .addOption(new Option('--format <format>', 'of the file (default: png)').choices(outputFormats))
    .option('--compression <number>', 'of jpeg and webp, 0 to 100 (default: 100)', parsePercent)
    .addOption(new Option('--background <how>', 'transparent where the model can').choices(backgrounds))
    .option('--metadata <name=value>', 'stored with the job, and found by it; any number', parsePair)
    .option('--deadline <duration>', 'fail for free unless it is done by then, such as 90s', parseDurationMs)
    .option('--callback-url <url>', 'webhook for this job')
    .option('-n, --count <number>', 'the number of images, up to 10, each a separate job', parseCount, 1)
    .addOption(
      new Option('--picture <how>', 'show it in the terminal (default: if the terminal can)').choices([
        ...protocols,
        'none',
      ]),
    )
    .option('--open', 'open it in the viewer of the desktop')
    .option('--dry-run', 'only show the price, and whether it would be accepted')
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
  darkroom generate "a fox" -n 4 -o fox.png        makes fox-1.png to fox-4.png
  darkroom generate "a fox" --json | jq -r .file
  darkroom generate - < prompt.txt -o - | magick - fox.gif

The path of the file goes to stdout. Ctrl-C stops the waiting, not the job.`;

interface Options extends ShowOptions {
  model: ModelId;
  count: number;
  aspectRatio: string;
  resolution?: string;
  input?: string[];
  mask?: string;
  parameter?: Record<string, ParameterValue>;
  format?: OutputFormat;
  compression?: number;
  background?: Background;
  deadline?: number;
  metadata?: Record<string, string>;
  output?: string;
  callbackUrl?: string;
  wait: boolean;
  dryRun?: true;
  quiet?: true;
  json?: true;
}

/** Handles `-i IMAGE "PROMPT"`. The option takes all arguments, so its last is the prompt, unless it is an image. */
function generateFromLastInput(options: Options, command: Command): Promise<void> {
  const prompt = options.input?.at(-1);
  if (prompt === undefined || isInput(prompt)) command.error("error: missing required argument 'prompt'");
  const input = options.input?.slice(0, -1) ?? [];
  const { input: _, ...others } = options;
  return generate(prompt, input.length === 0 ? others : { ...others, input });
}

async function generate(given: string, options: Options): Promise<void> {
  const prompt = given === dash ? await readPrompt() : given;
  if (options.dryRun) return quote(prompt, options);
  const { json = false, count, wait } = options;
  const target = await chooseTarget(options.output, { json });
  if (target === dash && (count > 1 || !wait))
    throw new CliError(
      exitCodes.usage,
      'Only one image that is waited for can go to stdout.',
      'leave out -o -',
    );
  const wanted = {
    model: options.model,
    request: requestOf(prompt, options),
    images: await readInputs(options.input ?? []),
    masks: await readInputs(options.mask === undefined ? [] : [options.mask]),
    target,
  };
  if (options.count > 1) return generateSeveral(wanted, options);
  using progress = startProgress({ quiet: options.quiet === true || options.json === true });
  const { created, comeBack } = await createImage(wanted, progress);
  if (!options.wait) {
    if (options.json) return printJson(created);
    progress.finish(`Accepted. Come back with: ${comeBack}`);
    return print(created.job_id);
  }
  const made = await collectImage({ created, comeBack }, wanted, progress);
  if (options.json) return printJson(describeImage(made));
  if (target === dash) return;
  print(made.file);
  await showImage(made.file, options);
}

/** Reads a prompt from the standard input, without the line break at its end, which `echo` adds. */
async function readPrompt(): Promise<string> {
  return (await readStandardInput('the prompt')).toString().replace(/\r?\n$/, '');
}

/** Images are not read, because a quote uploads nothing and takes inputs only as URLs. */
async function quote(prompt: string, options: Options): Promise<void> {
  const darkroom = await connect();
  const request = requestOf(prompt, options);
  const { input = [], mask, count } = options;
  const urls = {
    ...(input.length > 0 && { input_images_urls: input }),
    ...(mask !== undefined && { mask_url: mask }),
  };
  const quoted = await darkroom.quote(options.model, { ...request, ...urls });
  if (options.json) return printJson(quoted);
  const { price, width, height, accepted, reasons, eta } = quoted;
  printFacts([
    ['price', count > 1 ? `${price} each` : price],
    ['size', width === null ? 'as the first image has it' : `${width} × ${height}`],
    ['accepted', accepted ? 'yes' : `no: ${reasons.join(', ')}`],
    ...(eta ? ([['done', `in about ${formatDuration(eta.p50 * 1_000)}`]] as [string, string][]) : []),
  ]);
}

/** Ratios, sizes and URLs are not checked here: the server knows the models, and its error names the invalid field. */
function requestOf(prompt: string, options: Options): JobRequest {
  return {
    prompt,
    aspect_ratio: options.aspectRatio,
    ...(options.resolution !== undefined && { resolution: options.resolution }),
    ...(options.parameter !== undefined && { parameters: options.parameter }),
    ...(options.format !== undefined && { output_format: options.format }),
    ...(options.compression !== undefined && { output_compression: options.compression }),
    ...(options.background !== undefined && { background: options.background }),
    ...(options.deadline !== undefined && { deadline_seconds: options.deadline / 1_000 }),
    ...(options.metadata !== undefined && { metadata: options.metadata }),
    ...(options.callbackUrl !== undefined && { callback_url: options.callbackUrl }),
  };
}
