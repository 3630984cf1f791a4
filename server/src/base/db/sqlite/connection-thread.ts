import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';
import type { Answer, Asked } from './thread.ts';

/** This thread runs the statements that it receives on its own connection, one after the other. */

let nowMs = 0;
// `SqliteThread` sets `workerData`.
const connection = new SqliteConnection(String(workerData), { nowMs: () => nowMs, readOnly: false });

parentPort?.on('message', ({ statement, sentAt }: Asked) => {
  nowMs = sentAt;
  parentPort?.postMessage(answer(statement));
});

function answer(statement: Asked['statement']): Answer {
  try {
    return { result: connection.run(statement) };
  } catch (error) {
    const { errcode } = Object(error) as { errcode?: unknown }; // cloning SQLite's errors loses this property
    return { error, errcode };
  }
}
