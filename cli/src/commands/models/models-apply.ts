import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readText } from '../../files/read-text.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { printJson, printLine, tell } from '../../output.ts';

export function addModelsApply(models: Command): void {
  models
    .command('apply')
    .description('add and change models as a file says; without --yes it only prints the difference')
    .argument('<file>', 'JSON as "models export" prints it, or one model; - for the standard input')
    .option('--yes', 'make the changes')
    .addHelpText('after', '\nModels that the file does not name stay unchanged.')
    .action(apply);
}

async function apply(file: string, { yes = false }: { yes?: boolean }, command: Command): Promise<void> {
  const models = modelsIn(parse(await readText(file), file));
  const answer = await withOperator((operator) => operator.applyModels({ models, apply: yes }));
  if (command.optsWithGlobals().json) return printJson(answer);
  for (const difference of answer.differences) show(difference);
  for (const gap of answer.uncovered) tell(`Uncovered: ${gap}`);
  if (answer.differences.length === 0) tell('Nothing differs.');
  else if (yes) tell('Done. All processes follow within a second.');
  else tell('Nothing was changed. Add --yes to make these changes.');
}

type Difference = Answer<'applyModels'>['differences'][number];

function show({ model, action, changes }: Difference): void {
  printLine(action === 'add' ? `+ ${model}` : `~ ${model}`);
  for (const [path, change] of Object.entries(changes)) printLine(`    ${path}: ${change}`);
}

/** Accepts `{ "models": […] }` as in the configuration file, a list, or one model. */
function modelsIn(json: unknown): unknown {
  if (Array.isArray(json)) return json;
  return typeof json === 'object' && json !== null && 'models' in json ? json.models : [json];
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(exitCodes.usage, `${file} is not JSON.`);
  }
}
