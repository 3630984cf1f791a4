import { subscribe } from 'node:diagnostics_channel';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { collectCalls, type RegisteredCall } from '../test/http/support/registered-calls.ts';
import { type Turn as MeasuredTurn, openTurnClock } from '../test/http/support/turns.ts';

// Runs inside the server, loaded with `--import` before the server's code. Answers the harness on the socket
// ATTACK_SOCKET.

export interface Watched {
  calls: readonly RegisteredCall[];
  /** The longest event-loop turns since the last request for them, longest first. */
  turns: Turn[];
  uncaught: string[];
}

export interface Turn {
  /** The thread's processor time, without garbage collection. */
  ms: number;
  /** Requests that were running during the turn. */
  during: string[];
}

const { ATTACK_SOCKET: socketPath } = process.env;
// The server's own children must not be watched, and must not get our settings.
delete process.env.ATTACK_SOCKET;
delete process.env.NODE_OPTIONS;

// Turns within this time are measured together.
const lookEveryMs = 1;
const shortMs = 5;
const mostTurns = 20;
const mostNames = 12;

if (isMainThread && socketPath !== undefined) watch(socketPath);

function watch(path: string): void {
  const collected = collectCalls();
  const uncaught: string[] = [];
  process.on('uncaughtExceptionMonitor', (error) => uncaught.push(error.stack ?? String(error)));
  const takeTurns = measureTurns();
  const watcher = createServer((_request, response) => {
    const watched: Watched = { calls: collected.calls, turns: takeTurns(), uncaught };
    response.end(JSON.stringify(watched));
  });
  // Writes the turns since the last report, which would be lost when the process ends.
  process.on('exit', () => writeFileSync(`${path}.turns`, JSON.stringify(takeTurns())));
  // Removes the socket of an earlier process that did not end properly.
  rmSync(path, { force: true });
  watcher.listen(path).unref();
}

function measureTurns(): () => Turn[] {
  const underWay = new Map<ServerResponse, string>();
  let begun: string[] = [];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }; // the documented form
    const name = `${request.method} ${String(request.url).slice(0, 100)}`;
    underWay.set(response, name);
    begun.push(name);
    // Waits for the response to close, because the request does not close if its body is never read.
    response.once('close', () => underWay.delete(response));
  });
  let turns: (MeasuredTurn & Turn)[] = [];
  const clock = openTurnClock();
  setInterval(() => {
    const turn = clock.look();
    if (turn.ms > shortMs)
      turns.push({ ...turn, during: [...new Set([...begun, ...underWay.values()])].slice(0, mostNames) });
    begun = [];
  }, lookEveryMs).unref();
  return () => {
    const taken = turns.map((turn) => ({ ms: clock.ownMs(turn), during: turn.during }));
    turns = [];
    return taken.sort((one, other) => other.ms - one.ms).slice(0, mostTurns);
  };
}
