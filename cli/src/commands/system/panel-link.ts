import type { Command } from 'commander';
import { onThisMachine } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addPanelLink(program: Command): void {
  program
    .command('panel-link')
    .description('print a link that opens the panel once, also for a forgotten password')
    .option('--email <address>', 'for this person instead of the first operator')
    .option('--json', 'print one JSON object')
    .action(makePanelLink);
}

async function makePanelLink({ email, json }: { email?: string; json?: true }): Promise<void> {
  const link = await onThisMachine((operator) => operator.panelLink(email === undefined ? {} : { email }));
  if (json) return printJson(link);
  tell(`Opens the panel once, until ${link.expires_at}.`);
  print(link.url);
}
