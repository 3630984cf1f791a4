import { styleText } from 'node:util';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAccountCreate } from './commands/account/account-create.ts';
import { addAccountCredit } from './commands/account/account-credit.ts';
import { addAccountList } from './commands/account/account-list.ts';
import { addBalance } from './commands/account/balance.ts';
import { addEntries } from './commands/account/entries.ts';
import { addKeyCreate } from './commands/account/key-create.ts';
import { addKeyDisable } from './commands/account/key-disable.ts';
import { addKeyList } from './commands/account/key-list.ts';
import { addAccountLimits, addKeyLimits } from './commands/account/limits.ts';
import { addUsage } from './commands/account/usage.ts';
import { addGenerate } from './commands/jobs/generate.ts';
import { addJobsCancel } from './commands/jobs/jobs-cancel.ts';
import { addJobsGet } from './commands/jobs/jobs-get.ts';
import { addJobsList } from './commands/jobs/jobs-list.ts';
import { addJobsWait } from './commands/jobs/jobs-wait.ts';
import { addMcp } from './commands/jobs/mcp.ts';
import { addConnection } from './commands/models/connection.ts';
import { addModels } from './commands/models/models.ts';
import { addAdoptStore } from './commands/system/adopt-store.ts';
import { addBackup } from './commands/system/backup.ts';
import { addPanelLink } from './commands/system/panel-link.ts';
import { addPause } from './commands/system/pause.ts';
import { addResume } from './commands/system/resume.ts';
import { addRoutes } from './commands/system/routes.ts';
import { addServe } from './commands/system/serve.ts';
import { addStatus } from './commands/system/status.ts';
import { addVerify } from './commands/system/verify.ts';
import { addListen } from './commands/webhook/listen.ts';
import { addWebhookList } from './commands/webhook/webhook-list.ts';
import { addWebhookReplay } from './commands/webhook/webhook-replay.ts';
import { addWebhookRotate } from './commands/webhook/webhook-rotate.ts';
import { addWebhookSet } from './commands/webhook/webhook-set.ts';
import { addWebhookShow } from './commands/webhook/webhook-show.ts';
import { addWebhookTest } from './commands/webhook/webhook-test.ts';

/** Every verb. Settings come first, because commands inherit them when they are added. */
export function buildProgram(): Command {
  const program = new Command('darkroom')
    .description('Generate images, and run the server that generates them.')
    .version(manifest.version, '-V, --version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ styleTitle: (title) => styleText('bold', title) })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'darkroom: ')) })
    .showHelpAfterError('  Next: add --help to see the options')
    .exitOverride()
    .addHelpText('after', closing);

  program.commandsGroup('Make images:');
  addGenerate(program);
  const jobs = program.command('jobs').helpCommand(false).description('list, get, wait, cancel');
  addJobsList(jobs);
  addJobsGet(jobs);
  addJobsWait(jobs);
  addJobsCancel(jobs);
  addBalance(program);
  addEntries(program);
  addUsage(program);
  addModels(program);
  addListen(program);
  addMcp(program);

  program.commandsGroup('Run a server:');
  addServe(program);
  const account = program.command('account').helpCommand(false).description('create, list, credit');
  addAccountCreate(account);
  addAccountList(account);
  addAccountCredit(account);
  addAccountLimits(account);
  const key = program.command('key').helpCommand(false).description('create, list, disable');
  addKeyCreate(key);
  addKeyList(key);
  addKeyDisable(key);
  addKeyLimits(key);
  addConnection(program);
  const webhook = program
    .command('webhook')
    .helpCommand(false)
    .description('set, show, rotate, test, list, replay');
  addWebhookSet(webhook);
  addWebhookShow(webhook);
  addWebhookRotate(webhook);
  addWebhookTest(webhook);
  addWebhookList(webhook);
  addWebhookReplay(webhook);
  addPause(program);
  addResume(program);
  addPanelLink(program);
  addStatus(program);
  addRoutes(program);
  addVerify(program);
  addBackup(program);
  addAdoptStore(program);
  return program;
}

const closing = `
Making images uses DARKROOM_URL and DARKROOM_API_KEY, or otherwise what the server on
this machine wrote into its data folder. Running a server uses the environment
that the server uses.

Exit codes: 0 done, 1 job failed, 2 usage, 3 key refused, 4 no funds, 5 invalid,
6 unavailable, 130 interrupted.

Examples:
  darkroom generate "a red fox in the snow" -a 16:9 -o fox.png
  darkroom account create "My app" --credit 10`;
