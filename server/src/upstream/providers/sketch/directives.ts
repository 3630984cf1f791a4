import { setTimeout as sleep } from 'node:timers/promises';
import { type FailureKind, failureKinds, ProviderError, type RunContext } from '../provider.ts';

/**
 * Directives in a prompt make `sketch` misbehave on purpose, for tests. Any client may use them if only `sketch` makes
 * images:
 * - `[[delay:3s]]`, `[[delay:250ms]]`: waits before it draws.
 * - `[[fail:KIND]]`: always fails with KIND, a word of `failureKinds`. `[[fail:KIND:2]]`: only on attempts 1 and 2.
 * - `[[hang]]`: never answers, until the attempt is aborted.
 * - `[[crash]]`: **KILLS ITS PROCESS** with SIGKILL, and everything else running there, if the settings allow it.
 * `[[crash:2]]`: only on attempts 1 and 2, so that the job survives in the end.
 */
export interface Directive {
  name: 'delay' | 'fail' | 'hang' | 'crash';
  delayMs?: number;
  kind?: FailureKind;
  /** The last attempt to which the directive applies; undefined for all attempts. */
  untilAttempt?: number;
}

/** Splits a prompt into directives and text. Any other text in double brackets is part of the prompt. */
export function parseDirectives(
  prompt: string,
  { crash = false }: { crash?: boolean } = {},
): { prompt: string; directives: Directive[] } {
  const directives: Directive[] = [];
  const rest = prompt.replace(
    /\[\[([a-z]{1,9})(?::([a-z0-9_]{1,30}))?(?::(\d{1,4}))?\]\]/g,
    (whole, name, first, second) => {
      const directive = parse(name, first, second);
      if (!directive || (directive.name === 'crash' && !crash)) return whole;
      directives.push(directive);
      return ' ';
    },
  );
  return { prompt: rest.replace(/\s+/g, ' ').trim(), directives };
}

export async function obey(directives: readonly Directive[], { attempt, signal }: RunContext): Promise<void> {
  for (const directive of directives) {
    signal.throwIfAborted();
    if (attempt > (directive.untilAttempt ?? Number.POSITIVE_INFINITY)) continue;
    switch (directive.name) {
      case 'delay':
        await wait(directive.delayMs ?? 0, signal);
        break;
      case 'fail':
        throw new ProviderError(directive.kind ?? 'unavailable', 'The prompt asked for this failure.');
      case 'hang':
        await aborted(signal);
        break;
      case 'crash':
        process.kill(process.pid, 'SIGKILL');
    }
  }
}

/** The maximum delay, longer than any attempt's deadline. */
const maxDelayMs = 3_600_000;

function parse(name: string, first: string | undefined, second: string | undefined): Directive | undefined {
  if (name === 'hang' && first === undefined) return { name };
  if (name === 'delay' && second === undefined) {
    const found = /^(\d{1,9})(ms|s)$/.exec(first ?? '');
    if (!found) return undefined;
    return { name, delayMs: Math.min(maxDelayMs, Number(found[1]) * (found[2] === 's' ? 1000 : 1)) };
  }
  if (name === 'fail') {
    const kind = failureKinds.find((known) => known === first);
    return kind && { name, kind, ...until(second) };
  }
  if (name === 'crash' && second === undefined && /^\d{0,4}$/.test(first ?? ''))
    return { name, ...until(first) };
  return undefined;
}

function until(number: string | undefined): { untilAttempt?: number } {
  return number ? { untilAttempt: Number(number) } : {};
}

async function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (cause) {
    throw signal.aborted ? signal.reason : cause;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
