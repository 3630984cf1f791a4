import type { Command } from 'commander';
import { buildClientProgram } from './client-program.ts';
import { addAccountAlerts } from './commands/account/account-alerts.ts';
import { addAccountCreate } from './commands/account/account-create.ts';
import { addAccountCredit } from './commands/account/account-credit.ts';
import { addAccountDebit } from './commands/account/account-debit.ts';
import { addAccountErase } from './commands/account/account-erase.ts';
import { addAccountExport } from './commands/account/account-export.ts';
import { addAccountList } from './commands/account/account-list.ts';
import { addAccountStatement } from './commands/account/account-statement.ts';
import { addAdminKey } from './commands/account/admin-keys.ts';
import { addKeyCreate } from './commands/account/key-create.ts';
import { addKeyDisable } from './commands/account/key-disable.ts';
import { addKeyList } from './commands/account/key-list.ts';
import { addKeyNetworks } from './commands/account/key-networks.ts';
import { addAccountLimits, addKeyLimits } from './commands/account/limits.ts';
import { addOwed } from './commands/account/owed.ts';
import { addAccountPrices, addPriceGroup } from './commands/account/price-groups.ts';
import { addAccountRetention } from './commands/account/retention.ts';
import { addVoucher } from './commands/account/vouchers.ts';
import { addConnection } from './commands/models/connection.ts';
import { addCosts } from './commands/models/costs.ts';
import { addModelVerbs } from './commands/models/model-verbs.ts';
import { addAdoptStore } from './commands/system/adopt-store.ts';
import { addBackup } from './commands/system/backup.ts';
import { addBrand } from './commands/system/brand.ts';
import { examineHere } from './commands/system/doctor-here.ts';
import { addMarking } from './commands/system/marking.ts';
import { addMigrate } from './commands/system/migrate.ts';
import { addPanelLink } from './commands/system/panel-link.ts';
import { addPause } from './commands/system/pause.ts';
import { addPerson } from './commands/system/person.ts';
import { addResume } from './commands/system/resume.ts';
import { addRoutes } from './commands/system/routes.ts';
import { addSecretReset } from './commands/system/secret-reset.ts';
import { addServe } from './commands/system/serve.ts';
import { addStatus } from './commands/system/status.ts';
import { addVerify } from './commands/system/verify.ts';
import { addWebhookAdd } from './commands/webhook/webhook-add.ts';
import { addWebhookChange } from './commands/webhook/webhook-change.ts';
import { addWebhookDeliveries } from './commands/webhook/webhook-deliveries.ts';
import { addWebhookList } from './commands/webhook/webhook-list.ts';
import { addWebhookRemove } from './commands/webhook/webhook-remove.ts';
import { addWebhookReplay } from './commands/webhook/webhook-replay.ts';
import { addWebhookRotate } from './commands/webhook/webhook-rotate.ts';
import { addWebhookShow } from './commands/webhook/webhook-show.ts';
import { addWebhookTest } from './commands/webhook/webhook-test.ts';

export function buildProgram(): Command {
  const program = buildClientProgram(settings);
  program.description('Generate images, and run the server that generates them.');
  for (const command of program.commands) {
    if (command.name() === 'models') addModelVerbs(command);
    if (command.name() === 'doctor') examineHere(command);
  }

  program.commandsGroup('Run a server:');
  addServe(program);
  const account = program
    .command('account')
    .helpCommand(false)
    .description('create, list, credit, debit, limits');
  addAccountCreate(account);
  addAccountList(account);
  addAccountCredit(account);
  addAccountDebit(account);
  addAccountLimits(account);
  addAccountPrices(account);
  addAccountAlerts(account);
  addAccountRetention(account);
  addAccountStatement(account);
  addAccountExport(account);
  addAccountErase(account);
  const key = program
    .command('key')
    .helpCommand(false)
    .description('create, list, disable, limits, networks');
  addKeyCreate(key);
  addKeyList(key);
  addKeyDisable(key);
  addKeyLimits(key);
  addKeyNetworks(key);
  addVoucher(program);
  addPriceGroup(program);
  addAdminKey(program);
  addConnection(program);
  addCosts(program);
  addOwed(program);
  addWebhook(program);
  addBrand(program);
  addPause(program);
  addResume(program);
  addPanelLink(program);
  addStatus(program);
  addRoutes(program);
  addVerify(program);
  addBackup(program);
  addMigrate(program);
  addAdoptStore(program);
  addSecretReset(program);
  addMarking(program);
  addPerson(program);
  return program;
}

function addWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .helpCommand(false)
    .description(
      'endpoints: list, show, add, change, remove, rotate, test; what was sent: deliveries, replay',
    );
  addWebhookList(webhook);
  addWebhookShow(webhook);
  addWebhookAdd(webhook);
  addWebhookChange(webhook);
  addWebhookRemove(webhook);
  addWebhookRotate(webhook);
  addWebhookTest(webhook);
  addWebhookDeliveries(webhook);
  addWebhookReplay(webhook);
}

const settings = `
Making images uses DARKROOM_URL and DARKROOM_API_KEY, or else the settings that the
server on this machine wrote into its data folder. Running a server uses the
environment of the server.`;
