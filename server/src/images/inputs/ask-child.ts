import type { ChildProcess } from 'node:child_process';
import { processorWaitMs } from '../../base/std/lateness/processor-wait.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import type { ChildPool } from './child-pool.ts';
import { childStartMs } from './limits.ts';

export const ready = { kind: 'ready' } as const;

export interface Question<Reply> {
  request: object;
  /** How long the child may take once it is running. */
  limitMs: number;
  /** The longest wait, including time without a processor, which `limitMs` excludes. Default: `limitMs`. */
  mostMs?: number;
  /** Checks a message completely, because an image that has taken over the child may have forged it. */
  parse(message: unknown): Reply;
  signal: AbortSignal;
}

type Ending = 'died' | 'hung' | 'never_started';

/**
 * Asks a child. If it crashes, asks another, because the image may not be the cause. Returns undefined after a second
 * crash, or if a child hangs.
 * @throws Overloaded
 */
export async function askChild<Reply extends object>(
  children: ChildPool,
  question: Question<Reply>,
): Promise<Reply | undefined> {
  let reply = await askNext(children, question);
  if (reply === 'died' || reply === 'never_started') reply = await askNext(children, question);
  if (reply === 'never_started')
    throw new Overloaded('No image can be decoded at the moment. Send the request again shortly.', {
      cause: new Error(`the image decoder does not start in time; run ${children.script} to see why`),
    });
  return typeof reply === 'string' ? undefined : reply;
}

async function askNext<Reply extends object>(
  children: ChildPool,
  question: Question<Reply>,
): Promise<Reply | Ending> {
  const child = children.take();
  const reply = await ask(child, question, children.hasStarted(child));
  if (typeof reply === 'string') children.end(child);
  else children.keep(child);
  question.signal.throwIfAborted();
  return typeof reply === 'string' && !children.hasStarted(child) ? 'never_started' : reply;
}

function ask<Reply extends object>(
  child: ChildProcess,
  { request, limitMs, mostMs = limitMs, parse, signal }: Question<Reply>,
  hasStarted: boolean,
): Promise<Reply | Ending> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const limit = (): void => {
      // Reads the waiting time only if needed, because it is in one file for each of the child's threads.
      const waitedMs = () => (mostMs > limitMs ? processorWaitMs(child.pid) : 0);
      const [startedAt, before] = [performance.now(), waitedMs()];
      const look = () => {
        const leftMs = startedAt + Math.min(limitMs + waitedMs() - before, mostMs) - performance.now();
        if (leftMs < 1) finish('hung');
        else timer = setTimeout(look, leftMs);
      };
      timer = setTimeout(look, limitMs);
    };
    if (hasStarted) limit();
    else timer = setTimeout(() => finish('hung'), childStartMs);
    const onMessage = (message: unknown) => {
      if (!isReady(message)) return finish(parse(message));
      if (hasStarted) return; // a second `ready` must not extend the time
      hasStarted = true;
      clearTimeout(timer);
      limit();
    };
    const onGone = () => finish('died');
    const onAbort = () => finish('hung');
    const finish = (reply: Reply | Ending) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onGone).off('error', onGone);
      signal.removeEventListener('abort', onAbort);
      resolve(reply);
    };
    child.on('message', onMessage).on('exit', onGone).on('error', onGone);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) finish('hung');
    else child.send(request, (error) => error !== null && onGone());
  });
}

function isReady(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === ready.kind;
}
