import { Worker } from 'node:worker_threads';
import type { SigningSettings } from './certificates/read-certificate.ts';
import type { SigningAnswer, SigningOrder, SigningQuestion, SigningReply } from './signing-messages.ts';

export interface SigningThread extends AsyncDisposable {
  /** @throws Error if the thread cannot answer, or not in time */
  ask(question: SigningQuestion): Promise<SigningAnswer>;
}

/** The time limit of a question, which only a malicious file exceeds. A megabyte takes 20 ms. */
const limitMs = 30_000;

/** The first question starts the thread. If an answer is late, the thread restarts and all open questions fail. */
export function openSigningThread(settings: SigningSettings): SigningThread {
  let current: ReturnType<typeof start> | undefined;
  let lastId = 0;

  function start() {
    // A worker would inherit this process's `execArgv`, which is meant for the main program.
    const worker = new Worker(new URL('./signing-thread.ts', import.meta.url), {
      execArgv: [],
      workerData: settings,
    });
    const waiting = new Map<number, PromiseWithResolvers<SigningAnswer>>();
    let failure: unknown;
    worker
      .on('message', (reply: SigningReply) => {
        if ('answer' in reply) waiting.get(reply.id)?.resolve(reply.answer);
        else waiting.get(reply.id)?.reject(new Error(reply.error));
      })
      .on('error', (error) => {
        failure = error; // the thread exits next
      })
      .on('exit', () => {
        if (current?.worker === worker) current = undefined;
        const error = new Error('the thread that signs has ended', { cause: failure });
        for (const { reject } of waiting.values()) reject(error);
      });
    return { worker, waiting };
  }

  return {
    async ask(question) {
      current ??= start();
      const { worker, waiting } = current;
      const id = ++lastId;
      const answer = Promise.withResolvers<SigningAnswer>();
      waiting.set(id, answer);
      const limit = setTimeout(() => void worker.terminate(), limitMs);
      worker.ref(); // the process does not exit while it waits for a file
      try {
        worker.postMessage({ id, question } satisfies SigningOrder);
        return await answer.promise;
      } finally {
        clearTimeout(limit);
        waiting.delete(id);
        if (waiting.size === 0) worker.unref();
      }
    },
    async [Symbol.asyncDispose]() {
      await current?.worker.terminate();
    },
  };
}
