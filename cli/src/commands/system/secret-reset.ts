import type { Command } from 'commander';
import { ask } from '../../ask.ts';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type OwnAnswer, onThisMachine } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

type Loss = NonNullable<OwnAnswer<'readSecretLoss'>>;

export function addSecretReset(program: Command): void {
  program
    .command('secret')
    .helpCommand(false)
    .description('reset: continue without a lost secret')
    .command('reset')
    .description('continue without the lost secret; first shows what is lost with it')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A server refuses to start with another secret than its database's. Restore that one if
you have a copy: of DARKROOM_SECRET, of the file "secret" in the data folder, or in a
backup. Only if it is gone for good, stop all servers and run this with the
DARKROOM_SECRET of the future, or without any to have one made.

Jobs, images, money and API keys stay. What the old secret sealed stays too, although
nobody can open it: if you find the secret, list it as DARKROOM_SECRET=NEW,OLD.`,
    )
    .action(resetSecret);
}

async function resetSecret({ yes, json }: { yes?: true; json?: true }): Promise<void> {
  await onThisMachine(async (operator) => {
    const loss = await operator.readSecretLoss();
    if (loss !== null) {
      if (!json) tellLoss(loss);
      if (!yes && !(await isSure())) throw new CliError(exitCodes.usage, 'Nothing was changed.');
    }
    const lost = await operator.resetSecret();
    if (json) return printJson({ reset: lost !== null, lost });
    tell(
      lost === null
        ? 'The secret is the right one: nothing is lost, and nothing was changed.'
        : 'Reset. Start the servers with the same DARKROOM_SECRET as this command, or with none if it had none.',
    );
  });
}

function tellLoss(loss: Loss): void {
  const {
    connections,
    webhook_secrets: webhookSecrets,
    authenticators,
    payment_keys: paymentKeys,
    sessions,
  } = loss;
  const lines = [
    'Lost with the secret:',
    `  connections      ${connections.length === 0 ? 'none' : `${connections.join(', ')}: give their credentials again, darkroom connection add`}`,
    `  webhook secrets  ${webhookSecrets}${webhookSecrets === 0 ? '' : ': their webhooks and copies wait until each account has a new one, darkroom webhook rotate'}`,
    `  authenticators   ${authenticators}${authenticators === 0 ? '' : ': these people need a one-time link to set up another, darkroom panel-link --email ADDRESS'}`,
    `  payment keys     ${paymentKeys === 0 ? 'none' : 'those of Stripe: give them again in the panel, under Payments'}`,
    `  sessions         ${sessions}${sessions === 0 ? '' : ': everybody signs in again'}`,
    '  links            all that were given out to images; every poll makes a new one',
  ];
  for (const line of lines) tell(line);
}

async function isSure(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CliError(
      exitCodes.usage,
      'Nothing was changed. Confirm with --yes that the secret is lost for good.',
    );
  return (await ask('Is it gone for good? Write yes to continue without it: ')).trim() === 'yes';
}
