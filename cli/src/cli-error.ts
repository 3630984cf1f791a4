import type { ExitCode } from './exit-codes.ts';

export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  /** The answer that reports the failure, if any. `--json` prints it instead of the error. */
  readonly answer: unknown;

  constructor(exitCode: ExitCode, message: string, next?: string, answer?: unknown) {
    super(message);
    this.answer = answer;
    this.exitCode = exitCode;
    this.next = next;
  }
}
