import type { ExitCode } from './exit-codes.ts';

/** A failure found by this program, not by the server. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  /** The next step, a sentence or a command. */
  readonly next: string | undefined;
  /** The output of `--json` in place of the error, if an answer reports the failure. */
  readonly answer: unknown;

  constructor(exitCode: ExitCode, message: string, next?: string, answer?: unknown) {
    super(message);
    this.answer = answer;
    this.exitCode = exitCode;
    this.next = next;
  }
}
