import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addPerson(program: Command): void {
  program
    .command('person')
    .helpCommand(false)
    .description('delete: a person who signs in to the panel')
    .command('delete')
    .description('delete a person, and what is known of them; keys stay with their accounts')
    .argument('<person>', 'email or id')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
An operator, and the only owner of an account, cannot be deleted: appoint another first. The audit log keeps
the actions and their times, without name and address.`,
    )
    .action(deletePerson);
}

async function deletePerson(person: string, { json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.deletePerson(person));
  if (json) return printJson({ deleted: person });
  tell(`Deleted ${person}.`);
}
