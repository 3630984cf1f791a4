import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { explain } from './failure.ts';
import { printFailure } from './output.ts';
import { buildProgram } from './program.ts';

// A reader that closes the pipe, such as head, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const program = buildProgram();
let json = false;
program.hook('preAction', (_program, command) => {
  json = command.opts().json === true;
});

try {
  // Without a verb, print the help.
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, '--help']);
} catch (error) {
  process.exitCode = error instanceof CommanderError ? ofCommander(error) : ofFailure(error);
}

function ofCommander(error: CommanderError): number {
  return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
}

function ofFailure(error: unknown): number {
  const failure = explain(error);
  printFailure(failure, { json });
  return failure.exitCode;
}
