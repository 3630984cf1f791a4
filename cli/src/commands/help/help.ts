import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';

export function addHelp(program: Command): void {
  program
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'such as jobs list')
    .action((words: string[]) => findCommand(program, words).outputHelp());
}

/** @throws CliError for an unknown command */
function findCommand(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const found = command.commands.find((one) => one.name() === word);
    if (found) return found;
    const known = command.commands.map((one) => one.name()).join(', ');
    throw new CliError(
      exitCodes.usage,
      `There is no command "${words.join(' ')}".`,
      known === '' ? `see: darkroom help ${words.slice(0, -1).join(' ')}` : `there are: ${known}`,
    );
  }, program);
}
