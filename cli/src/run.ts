import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { explain } from './failure.ts';
import { printFailure } from './output.ts';

export async function run(program: Command): Promise<void> {
  let command: Command | undefined;
  let told: unknown;
  // A reader that closes the pipe, such as head, is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error === told) return;
    told = error;
    process.exitCode = ofFailure(error, undefined); // not as JSON, because nothing more may go to stdout
  });
  program.hook('preAction', (_program, called) => {
    command = called;
  });
  try {
    await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, '--help']);
  } catch (error) {
    if (error === told) return;
    process.exitCode =
      error instanceof CommanderError ? ofCommander(error, command) : ofFailure(error, command);
  }
}

function ofCommander(error: CommanderError, command: Command | undefined): number {
  // The parser has already reported its other errors.
  if (error instanceof InvalidArgumentError)
    return ofFailure(new CliError(exitCodes.usage, error.message), command);
  return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
}

function ofFailure(error: unknown, command: Command | undefined): number {
  const failure = explain(error, command);
  printFailure(failure, { json: command?.opts().json === true });
  return failure.exitCode;
}
