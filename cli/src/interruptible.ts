import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/** Runs `work`. Ctrl-C ends `work`, but not the job on the server; `farewell` says what happened and how to resume. */
export async function interruptible<Result>(
  farewell: { message: string; next: string },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const stopWith = (exitCode: 130 | 143) => () =>
    stop.abort(new CliError(exitCode, farewell.message, farewell.next));
  const onInterrupt = stopWith(exitCodes.interrupted);
  const onTerminate = stopWith(exitCodes.terminated);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  try {
    return await work(stop.signal);
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
  }
}
