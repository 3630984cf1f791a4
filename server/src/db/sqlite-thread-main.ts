import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection, type Statement } from './sqlite-connection.ts';
import type { ThreadAnswer, ThreadRequest } from './sqlite-thread.ts';

// The other side of `SqliteThread`: runs statements in the order they come, in a thread where waiting for the disk holds
// nobody up.
let nowMs = 0;
await using connection = new SqliteConnection((workerData as { file: string }).file, {
  nowMs: () => nowMs,
  readOnly: false,
});
const port = parentPort;
if (!port) throw new Error('This module runs in a thread of its own.');

await new Promise<void>((resolve) => {
  port.on('message', (request: ThreadRequest) => {
    if (request === 'close') return resolve();
    nowMs = request.nowMs;
    port.postMessage(request.statements.map(answer));
  });
  port.postMessage('ready');
});
port.close();

function answer(statement: Statement): ThreadAnswer {
  try {
    return connection.run(statement);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, errcode } = error as Error & { errcode?: number }; // SQLite's code, on errors of SQLite
    return { message, ...(errcode !== undefined && { errcode }) };
  }
}
