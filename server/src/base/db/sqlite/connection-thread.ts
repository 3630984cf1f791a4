import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import type { Answer, Asked } from './thread.ts';

/** Runs the statements that it is sent on a connection of its own, one after the other. */

let nowMs = 0;
const connection = new SqliteConnection(String(workerData), { nowMs: () => nowMs, readOnly: false }); // `SqliteThread` made it

parentPort?.on('message', ({ statement, sentAt }: Asked) => {
  nowMs = sentAt;
  parentPort?.postMessage(answer(statement));
});

function answer(statement: Asked['statement']): Answer {
  try {
    return { result: connection.run(statement) };
  } catch (error) {
    const { errcode } = Object(error) as { errcode?: unknown }; // what SQLite's errors have, and a message leaves out
    return { error, errcode };
  }
}
