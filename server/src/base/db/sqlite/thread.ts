import { Worker } from 'node:worker_threads';
import type { QueryResult } from 'kysely';
import type { Clock } from '../../std/clock.ts';
import { spreadOut } from '../storable.ts';
import type { Statement, Statements } from './connection.ts';

export interface Asked {
  statement: Statement;
  /** The time that `now_ms()` returns for the statement. */
  sentAt: number;
}

/** The thread's answer to one statement. Answers come in the order of the requests. */
export type Answer = { result: QueryResult<unknown> } | { error: unknown; errcode: unknown };

type Asking = PromiseWithResolvers<QueryResult<unknown>>;

interface Current {
  thread: Worker;
  asked: Asking[];
}

/**
 * A connection in a thread, for work that would block the event loop. The thread is kept, because starting one takes
 * 60 ms.
 */
export class SqliteThread implements Statements, AsyncDisposable {
  #file: string;
  #clock: Clock;
  #current: Current | undefined;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  run<Row>({ sql, parameters }: Statement): Promise<QueryResult<Row>> {
    this.#current ??= this.#start();
    const { thread, asked } = this.#current;
    const own: Asking = Promise.withResolvers();
    asked.push(own);
    // A running statement keeps the process alive; an idle thread does not.
    thread.ref();
    const statement = { sql, parameters: spreadOut(parameters) };
    thread.postMessage({ statement, sentAt: this.#clock.nowMs() } satisfies Asked);
    return own.promise as Promise<QueryResult<Row>>; // as the typed query says
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.thread.terminate();
  }

  #start(): Current {
    // The worker must not inherit `execArgv`, which is for this process's main program.
    const thread = new Worker(new URL('./connection-thread.ts', import.meta.url), {
      execArgv: [],
      workerData: this.#file,
    });
    const asked: Asking[] = [];
    // Rejects the pending requests of an ended thread, because their callers would wait for ever.
    const gone = (cause: unknown) => {
      if (this.#current?.thread === thread) this.#current = undefined;
      for (const one of asked.splice(0)) one.reject(cause);
    };
    thread
      .on('message', (answer: Answer) => {
        const one = asked.shift();
        if (asked.length === 0) thread.unref();
        if ('result' in answer) one?.resolve(answer.result);
        else one?.reject(Object.assign(Object(answer.error), { errcode: answer.errcode }));
      })
      .on('error', gone)
      .on('exit', gone);
    return { thread, asked };
  }
}
