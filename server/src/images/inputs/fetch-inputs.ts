import { join } from 'node:path';
import type { Agent } from 'undici';
import type { Guard } from '../../base/guard/guard.ts';
import { createBudget } from './budget.ts';
import { type FetchedInput, fetchInput, type OpenOwn } from './fetch-input.ts';
import { InputError, InputErrors, type InputFailure, listPointer } from './input-errors.ts';
import { type FetchLimits, fetchLimits, maxInputs } from './limits.ts';
import { holdSlots, type Semaphore } from './semaphore.ts';
import type { Share, Space } from './space.ts';
import { makeTempFolder } from './temp-folder.ts';

export interface FetchContext {
  guard: Guard;
  tempDir: string;
  /** Ends all downloads and conversions, for example if the client disconnects. @throws the signal's reason */
  signal: AbortSignal;
  /** Null if the caller holds a slot for each URL. */
  slots: Semaphore | null;
  /** The owner of the inputs, such as an account. Owners share slots fairly. */
  owner: string;
  space: Space;
  openOwn?: OpenOwn;
  limits?: Partial<FetchLimits>;
  /** A certificate authority in addition to the system's, for tests. */
  ca?: string;
}

/** One file per URL in the client's order; a repeated URL gives the same object. Disposing removes the files. */
export interface InputSet<File> extends AsyncDisposable {
  files: File[];
}

/** Converts a downloaded file for the caller, in the same folder. */
export type UseInput<File> = (input: FetchedInput, signal: AbortSignal, share: Share) => Promise<File>;

/**
 * Downloads 1 to 14 URLs in parallel, and passes each complete file to `use`. Slots stay taken as long as the files
 * exist.
 * @throws InputErrors with every failed input, after removing all files
 */
export async function fetchInputs<File>(
  urls: readonly string[],
  context: FetchContext,
  use: UseInput<File>,
): Promise<InputSet<File>> {
  if (urls.length === 0 || urls.length > maxInputs) {
    throw new RangeError(`1 to ${maxInputs} URLs wanted, there are ${urls.length}`);
  }
  const distinct = [...new Set(urls)];
  await using cleanup = new AsyncDisposableStack();
  if (context.slots) cleanup.use(await holdSlots(context.slots, distinct.length, context));
  const folder = cleanup.use(await makeTempFolder(context.tempDir));
  const share = cleanup.use(await context.space.open(folder.path, context.owner));
  const outcomes = await runAll({ urls, distinct, folder: folder.path, share, context, use });

  const failures = listFailures(urls, outcomes);
  if (failures.length > 0) throw new InputErrors(failures);
  const kept = cleanup.move();
  return {
    files: urls.map((url) => fileOf(outcomes.get(url))),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type Outcome<File> = { ok: true; file: File } | { ok: false; error: InputError };

interface Run<File> {
  urls: readonly string[];
  distinct: readonly string[];
  folder: string;
  context: FetchContext;
  share: Share;
  use: UseInput<File>;
}

async function runAll<File>(run: Run<File>): Promise<Map<string, Outcome<File>>> {
  const { context, distinct } = run;
  const limits = { ...fetchLimits, ...context.limits };
  const stop = new AbortController();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate(limits.totalMs)), limits.totalMs);
  const useSignal = AbortSignal.any([context.signal, stop.signal]);
  const signal = AbortSignal.any([useSignal, late.signal]);
  const budget = createBudget(
    limits.totalBytes,
    (error) => stop.abort(error),
    (bytes) => run.share.take(bytes),
  );
  const agent = await agentFor(limits, context);
  let downloading = distinct.length;

  async function runOne(url: string, index: number): Promise<Outcome<File>> {
    try {
      const meter = budget.meter(run.urls.filter((other) => other === url).length);
      const path = join(run.folder, `${index}.source`);
      const input = await fetchInput(url, path, {
        guard: context.guard,
        ...(context.openOwn && { openOwn: context.openOwn }),
        owner: context.owner,
        dispatcher: agent,
        limits,
        signal,
        meter,
      }).finally(() => {
        if (--downloading === 0) clearTimeout(timer);
      });
      return { ok: true, file: await run.use(input, useSignal, run.share) };
    } catch (error) {
      if (error instanceof InputError) return { ok: false, error };
      stop.abort(error);
      throw error;
    }
  }

  try {
    const settled = await Promise.allSettled(distinct.map(runOne));
    return new Map(settled.map((result, index) => [distinct[index] ?? '', settledValue(result)]));
  } finally {
    await agent.destroy();
  }
}

function agentFor(limits: FetchLimits, context: FetchContext): Promise<Agent> {
  return context.guard.agent({
    maxHeaderSize: limits.headerBytes,
    connectTimeoutMs: limits.answerMs,
    ...(context.ca && { ca: context.ca }),
  });
}

function tooLate(totalMs: number): InputError {
  return new InputError(
    'input_unfetchable',
    `The file was not complete after the ${totalMs / 1000} s for all inputs together. Use a faster server or smaller files.`,
  );
}

function settledValue<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

function fileOf<File>(outcome: Outcome<File> | undefined): File {
  if (!outcome?.ok) throw new Error('every URL has a file when none failed');
  return outcome.file;
}

/** Reports once that inputs are too large together, because the input that was cut off is not to blame. */
function listFailures(urls: readonly string[], outcomes: Map<string, Outcome<unknown>>): InputFailure[] {
  const failures = urls.flatMap((url, index) => {
    const outcome = outcomes.get(url);
    if (outcome === undefined || outcome.ok) return [];
    return [{ pointer: `${listPointer}/${index}`, code: outcome.error.code, detail: outcome.error.message }];
  });
  const own = failures.filter((failure) => failure.code !== 'inputs_too_large');
  const together = failures.find((failure) => failure.code === 'inputs_too_large');
  const oneAlone = own.some((failure) => failure.code === 'input_too_large');
  return together === undefined || oneAlone ? own : [{ ...together, pointer: listPointer }, ...own];
}
