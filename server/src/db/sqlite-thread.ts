import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../std/clock.ts';
import type { Answer, Statement } from './sqlite-connection.ts';

export type ThreadRequest = 'close' | { nowMs: number; statements: Statement[] };
export type ThreadAnswer = Answer | { message: string; errcode?: number };

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

/**
 * A writing connection in a thread of its own. Statements made in one turn of the event loop travel together. A thread
 * that dies takes the process with it, as any error that nobody handles: everything committed is on disk.
 */
export class SqliteThread implements AsyncDisposable {
  #worker: Worker;
  #clock: Clock;
  #outbox: Statement[] = [];
  #waiting: Waiting[] = [];

  private constructor(worker: Worker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    worker.on('message', (answers: ThreadAnswer[]) => {
      const waiting = this.#waiting.splice(0, answers.length);
      for (const [index, answer] of answers.entries()) settle(waiting[index], answer);
    });
  }

  static async start(file: string, clock: Clock): Promise<SqliteThread> {
    const worker = new Worker(new URL('./sqlite-thread-main.ts', import.meta.url), { workerData: { file } });
    await once(worker, 'message'); // it is ready
    return new SqliteThread(worker, clock);
  }

  run(statement: Statement): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      // After all promises that can go on now have, so that what is asked for at the same time goes together.
      if (this.#outbox.push(statement) === 1) process.nextTick(() => this.#send());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#worker, 'exit');
    this.#worker.postMessage('close' satisfies ThreadRequest);
    await gone;
  }

  #send(): void {
    const statements = this.#outbox;
    this.#outbox = [];
    this.#worker.postMessage({ nowMs: this.#clock.nowMs(), statements } satisfies ThreadRequest);
  }
}

function settle(waiting: Waiting | undefined, answer: ThreadAnswer): void {
  if ('rows' in answer) {
    waiting?.resolve(answer);
  } else {
    const { message, ...code } = answer;
    waiting?.reject(Object.assign(new Error(message), code));
  }
}
