// Makes password hashes as cheap here as in the server.
import '../../scripts/testing/cheap-passwords.ts';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '../src/base/db/database.ts';
import { openInstallation } from '../test/processes/support/installation.ts';
import type { ServerProcess } from '../test/processes/support/server-process.ts';
import { freePort } from '../test/world/free-port.ts';
import { type Cast, openCast } from './callers.ts';
import { type Call, describeCalls } from './calls.ts';
import type { Turn, Watched } from './watch-server.ts';

export interface Target extends AsyncDisposable {
  url: string;
  database: Database;
  cast: Cast;
  calls: Call[];
  /** One line for each time that the process ended, and for each uncaught exception. */
  crashes: string[];
  /** Records what has happened since the last call. Restarts the server if it has ended. */
  look(): Promise<void>;
  forgetTurns(): void;
  /** The longest turns since the last call of `forgetTurns`, longest first. */
  turns(): readonly Turn[];
}

const fileHere = (name: string) => pathToFileURL(join(import.meta.dirname, name)).href;
/** A module for the server: people sign in whose cheap password hashes the harness wrote into the database. */
const cheapPasswords = fileHere('../../scripts/testing/cheap-passwords.ts');
const mostTurns = 10;

export interface TargetOptions {
  /** PostgreSQL if a URL is given, or else SQLite. */
  database: Parameters<typeof openInstallation>[0];
  /** Another module for the server to load, for a test of the harness. */
  plant?: string;
  /** Limits the attack to calls whose name matches, such as `POST /api/v1/batches`. */
  only?: RegExp;
}

export async function openTarget({ database: given, plant, only = /^/ }: TargetOptions): Promise<Target> {
  await using stack = new AsyncDisposableStack();
  const port = await freePort();
  const installation = stack.use(
    await openInstallation(given, {
      PORT: String(port),
      DARKROOM_SHARING: 'true',
      DARKROOM_STATUS_PAGE: 'true',
      DARKROOM_LOG_LEVEL: 'error',
      // No identity provider listens at this address, so its callback can only fail.
      DARKROOM_OIDC_ISSUER: 'http://127.0.0.1:9',
      DARKROOM_OIDC_CLIENT_ID: 'panel',
      DARKROOM_OIDC_CLIENT_SECRET: 'secret',
    }),
  );
  const { database, operator, env } = installation;
  const url = `http://127.0.0.1:${port}`;
  const secret = env.DARKROOM_SECRET ?? '';
  const cast = await furnishCast();
  const socketPath = join(env.DARKROOM_DATA_DIR ?? '', 'attack.sock');
  const imports = [cheapPasswords, fileHere('watch-server.ts'), ...(plant ? [plant] : [])];
  const crashes: string[] = [];
  let turns: Turn[] = [];
  let noted = 0;
  let server = await startWatched();
  const { calls } = await ask(socketPath);
  const running = stack.move();
  return {
    ...{ url, database, cast, crashes },
    calls: describeCalls(calls).filter(({ name }) => only.test(name)),
    async look() {
      const watched = await ask(socketPath).catch(() => undefined);
      if (!watched) return restart();
      turns = longestOf(turns, watched.turns);
      const fresh = watched.uncaught.slice(noted);
      crashes.push(...fresh);
      noted = watched.uncaught.length;
      // The server still answers but is about to end, and would lose new requests.
      if (fresh.length > 0) await restart();
    },
    forgetTurns() {
      turns = [];
    },
    turns: () => turns,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };

  /** Stops the worker at the end, so that only callers change data during the attack. */
  async function furnishCast(): Promise<Cast> {
    await using worker = await installation.start('all', { NODE_OPTIONS: `--import=${cheapPasswords}` });
    const made = await openCast({ url, database, operator, secret });
    worker.signal('SIGTERM');
    await worker.ended;
    return made;
  }

  function startWatched(): Promise<ServerProcess> {
    noted = 0;
    const options = imports.map((file) => `--import=${file}`).join(' ');
    return installation.start('api', { NODE_OPTIONS: options, ATTACK_SOCKET: socketPath });
  }

  async function restart(): Promise<void> {
    const { code, signal, stderr } = await server.ended;
    crashes.push(`the process ended with ${signal ?? code}: ${stderr.slice(-2_000)}`);
    turns = longestOf(turns, await readLastTurns(socketPath));
    server = await startWatched();
  }
}

function longestOf(turns: readonly Turn[], more: readonly Turn[]): Turn[] {
  return [...turns, ...more].sort((one, other) => other.ms - one.ms).slice(0, mostTurns);
}

/** The turns that an ended process recorded last; none if it was killed. */
async function readLastTurns(socketPath: string): Promise<Turn[]> {
  const text = await readFile(`${socketPath}.turns`, 'utf8').catch(() => '[]');
  return JSON.parse(text) as Turn[]; // the preload writes this
}

function ask(socketPath: string): Promise<Watched> {
  return new Promise((resolve, reject) => {
    request({ socketPath, agent: false })
      .on('error', reject)
      .on('response', async (response) => {
        const chunks = await response.toArray();
        resolve(JSON.parse(Buffer.concat(chunks).toString()) as Watched); // the preload writes this
      })
      .end();
  });
}
