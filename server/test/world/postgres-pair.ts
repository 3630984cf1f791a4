import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { initDatabase, installBinaries, serverUser, untilReady } from './postgres.ts';

export interface Pair extends AsyncDisposable {
  readonly url: string;
  /** The addresses of the first primary and the first standby. */
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  killPrimary(): Promise<void>;
  killStandby(): Promise<void>;
  startStandby(): Promise<void>;
  promote(): Promise<void>;
  /** Restarts the first primary, which still considers itself the primary. */
  startOldPrimary(): Promise<void>;
}

const name = 'darkroom';
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=100',
  'fsync=off',
];

/** The standby is synchronous, unless the primary must not wait for it. */
export async function startPair({ waits = true } = {}): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'darkroom-pair-'));
  stack.defer(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(installBinaries(root), 'bin');
  const [one, two] = [join(root, 'one'), join(root, 'two')];
  const [port, otherPort] = [await freePort(), await freePort()];
  mkdirSync(one, { mode: 0o700 });
  if (serverUser.uid !== undefined) {
    chmodSync(root, 0o755);
    chownSync(one, serverUser.uid, serverUser.uid);
  }
  initDatabase(bin, root, one);
  // A copy of files at rest equals the result of `pg_basebackup`.
  execFileSync('cp', ['-a', one, two]);
  writeFileSync(join(two, 'standby.signal'), '');

  const servers: ChildProcess[] = [];
  stack.defer(async () => void (await Promise.all(servers.map(end))));
  const run = (data: string, ownPort: number, more: string[]) => {
    const args = [...settings, `port=${ownPort}`, ...more].flatMap((setting) => ['-c', setting]);
    const options = { ...serverUser, stdio: 'ignore', cwd: root, env: { LC_ALL: 'C' } } as const;
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...args], options);
    servers.push(server);
    return server;
  };
  const urlOf = (ownPort: number, database: string) => `postgres://postgres@127.0.0.1:${ownPort}/${database}`;
  const primary = run(one, port, waits ? ['synchronous_standby_names=*'] : []);
  const runStandby = () =>
    run(two, otherPort, [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres`]);
  let standby = runStandby();
  await untilReady(urlOf(port, 'postgres'));
  await untilReady(urlOf(otherPort, 'postgres'));
  // This write is acknowledged once the standby has it.
  await query(urlOf(port, 'postgres'), `create database ${name}`);
  await untilReady(urlOf(otherPort, name));
  const running = stack.move();
  return {
    url: `postgres://postgres@127.0.0.1:${port},127.0.0.1:${otherPort}/${name}?target_session_attrs=read-write`,
    primaryUrl: urlOf(port, name),
    standbyUrl: urlOf(otherPort, name),
    killPrimary: () => end(primary),
    killStandby: () => end(standby),
    async startStandby() {
      standby = runStandby();
      await untilReady(urlOf(otherPort, 'postgres'));
    },
    promote: () => query(urlOf(otherPort, 'postgres'), 'select pg_promote(true, 30)'),
    async startOldPrimary() {
      run(one, port, []);
      await untilReady(urlOf(port, 'postgres'));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill('SIGQUIT');
  await gone;
}

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
