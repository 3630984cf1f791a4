import { createInterface } from 'node:readline/promises';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/** Asks at the terminal before anything is changed. @throws CliError after Ctrl-C or Ctrl-D */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\n'); // the question's line has not ended
    throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
  } finally {
    lines.close();
  }
}
