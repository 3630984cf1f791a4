import { styleText } from 'node:util';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addBalance } from './commands/account/balance.ts';
import { addEntries } from './commands/account/entries.ts';
import { addPay } from './commands/account/pay.ts';
import { addRedeem } from './commands/account/redeem.ts';
import { addUsage } from './commands/account/usage.ts';
import { addBatch } from './commands/batches/batch.ts';
import { addCompletion } from './commands/help/completion.ts';
import { addDoctor } from './commands/help/doctor.ts';
import { addHelp } from './commands/help/help.ts';
import { addGenerate } from './commands/jobs/generate.ts';
import { addJobsCancel } from './commands/jobs/jobs-cancel.ts';
import { addJobsDeleteImage } from './commands/jobs/jobs-delete-image.ts';
import { addJobsGet } from './commands/jobs/jobs-get.ts';
import { addJobsList } from './commands/jobs/jobs-list.ts';
import { addJobsWait } from './commands/jobs/jobs-wait.ts';
import { addMcp } from './commands/jobs/mcp.ts';
import { addModels } from './commands/models/models.ts';
import { addListen } from './commands/webhook/listen.ts';

/** The verbs that need only a server's URL and a key. */
export function buildClientProgram(settings: string): Command {
  const program = new Command('darkroom')
    .description('Generate images.')
    .version(manifest.version, '-V, --version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ styleTitle: (title) => styleText('bold', title) })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'darkroom: ')) })
    .showHelpAfterError('  Next: add --help to see the options')
    .exitOverride()
    .addHelpText('after', `${settings}\n${closing}`);

  program.commandsGroup('Make images:');
  addGenerate(program);
  const jobs = program
    .command('jobs')
    .helpCommand(false)
    .description('list, get, wait, cancel, delete-image');
  addJobsList(jobs);
  addJobsGet(jobs);
  addJobsWait(jobs);
  addJobsCancel(jobs);
  addJobsDeleteImage(jobs);
  addBatch(program);
  addBalance(program);
  addPay(program);
  addRedeem(program);
  addEntries(program);
  addUsage(program);
  addModels(program);
  addListen(program);
  addMcp(program);
  program.commandsGroup('Find your way:');
  addDoctor(program);
  addCompletion(program);
  addHelp(program);
  return program;
}

const closing = `
Exit codes: 0 done, 1 job failed, 2 usage, 3 key refused, 4 no funds, 5 invalid,
6 unavailable, 130 interrupted.

Examples:
  darkroom generate "a red fox in the snow" -a 16:9 -o fox.png
  darkroom jobs list --status failed`;
