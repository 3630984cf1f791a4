import { chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSmallDisk, type SmallDisk } from '../test/faults/support/small-disk.ts';
import { freePort } from '../test/world/free-port.ts';
import { type Cluster, serverUser, startCluster } from '../test/world/postgres.ts';
import { outerEnv, programFile } from '../test/world/program-file.ts';
import type { Hazards } from './harm/hazards.ts';
import { type OlderProgram, openOlderProgram } from './harm/older-program.ts';
import { removeSkewOf, skewedBy } from './harm/skew.ts';
import { type Accounts, type BucketAt, openAccounts } from './load/accounts.ts';
import type { ServerRole } from './plan.ts';
import { type Exit, type Supervised, supervise, usuallyBackWithinMs } from './supervise.ts';
import { type PostgresProxy, startProxy } from './tcp-proxy.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface ServerProcess {
  child: Supervised;
  /** Roles of the process. On SQLite, one process has both. */
  roles: readonly ServerRole[];
  /** The process's own proxy to the database; null on SQLite. */
  proxy: PostgresProxy | null;
  changeVersion(): void;
}

export interface Cast extends AsyncDisposable, Accounts {
  servers: ServerProcess[];
  apiUrls: string[];
  provider: Supervised;
  receiver: Supervised;
  /** The S3 server. It stores all images if PostgreSQL is in use, and copies of results in any case. */
  objects: Supervised | null;
  disk: SmallDisk | null;
  cluster: Cluster | null;
  /** The environment for reading the database directly, without a proxy. */
  env: NodeJS.ProcessEnv;
  exits: Exit[];
  /** Findings during the run, in addition to those at the end. */
  findings: string[];
  /** Differences between the clocks of hosts and of the database. */
  skews: string[];
  older: OlderProgram | null;
  files: { provider: string; receiver: string; logs: string; copies: string };
}

interface CastOptions {
  database: DatabaseKind;
  seed: number;
  root?: string;
  /** Called before a server starts on this data folder. Returns a command that starts the server. */
  launch?: (dataDir: string) => readonly string[];
  /** Harm other than killed processes and cut connections. Default: none. */
  hazards?: Hazards;
  /** A process that takes longer to come back is a finding. */
  backWithinMs?: number;
}

const entry = (name: string) => join(import.meta.dirname, name);
// Enough for a database of ten thousand jobs with its log, and on SQLite also for the images.
const diskBytes = 1_024 ** 3;
// Fewer connections than usual, so that a fault can take them all.
const connections = 60;

export async function startCast({
  database,
  seed,
  root,
  launch = () => [],
  hazards,
  backWithinMs = usuallyBackWithinMs,
}: CastOptions): Promise<Cast> {
  await using stack = new AsyncDisposableStack();
  const folder = root ?? mkdtempSync(join(tmpdir(), 'darkroom-faults-'));
  if (!root) stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    provider: join(folder, 'provider.jsonl'),
    receiver: join(folder, 'receiver.jsonl'),
    logs: join(folder, 'logs'),
    copies: join(folder, 'objects/copies'),
  };
  mkdirSync(files.logs, { recursive: true });
  const exits: Exit[] = [];
  const findings: string[] = [];
  const child = (
    name: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    launcher: readonly string[] = [],
  ) =>
    stack.use(
      supervise({
        name,
        args,
        env,
        launcher,
        logFile: join(files.logs, `${name}.log`),
        backWithinMs,
        onLate: (what) => findings.push(what),
        onExit(exit) {
          exits.push(exit);
          if (env.FAKETIME) removeSkewOf(exit.pid);
        },
      }),
    );

  const disk = hazards?.disk ? stack.use(makeSmallDisk(diskBytes)) : null;
  const cluster = database === 'postgres' ? stack.use(await startDatabase(disk)) : null;
  const dataDir = disk && !cluster ? join(disk.path, 'data') : join(folder, 'data');
  if (disk && !cluster && root) stack.defer(() => cpSync(dataDir, join(root, 'data'), { recursive: true }));
  const base = outerEnv();
  const receiver = child('receiver', [entry('receiver.ts'), files.receiver], base);
  const provider = child('provider', [entry('provider-stub.ts'), String(seed), files.provider], base);
  const objects = hazards
    ? child('objects', [entry('harm/object-store.ts'), join(folder, 'objects'), 'images', 'copies'], base)
    : null;
  const objectsUrl = (await objects?.ready())?.url;
  const ports = { api: [await freePort(), await freePort()] as const, worker: [0, 0] as const };
  const env = {
    ...base,
    DARKROOM_DATA_DIR: dataDir,
    DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
    DARKROOM_LOG_LEVEL: 'info',
    // Both servers have one public URL, so that each recognizes links to uploads that the other received.
    DARKROOM_PUBLIC_URL: `http://127.0.0.1:${ports.api[0]}`,
    ...(cluster && { DATABASE_URL: cluster.url }),
    ...(cluster &&
      objectsUrl && {
        DARKROOM_STORAGE: bucketUrl('images', objectsUrl),
        AWS_ACCESS_KEY_ID: s3Key,
        AWS_SECRET_ACCESS_KEY: s3Key,
      }),
  };
  const bucket: BucketAt | null = objectsUrl
    ? {
        url: bucketUrl('copies', objectsUrl),
        credentials: { access_key_id: s3Key, secret_access_key: s3Key },
      }
    : null;
  const stubUrl = (await provider.ready()).url ?? '';
  const accounts = await openAccounts(env, { webhook: `${(await receiver.ready()).url}/account`, bucket });
  const older =
    cluster && hazards?.olderCommit ? stack.use(await openOlderProgram(hazards.olderCommit)) : null;

  const servers: ServerProcess[] = [];
  const skews: string[] = [];
  for (const { name, role, port } of cluster ? onPostgres(ports) : onSqlite(ports)) {
    const proxy = cluster && stack.use(await startProxy(cluster.port));
    const address = proxy && { DATABASE_URL: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` };
    const skew = cluster && hazards?.skews.get(name);
    if (skew) skews.push(`${name} ${skew}`);
    const own = { ...env, ...address, ...(skew && skewedBy(skew)), PORT: String(port) };
    const argsOf = (file: string) => [file, role, stubUrl];
    const programs = [programFile('faults'), ...(older ? [older.file] : [])];
    const started = child(name, argsOf(programs[0] ?? ''), own, launch(env.DARKROOM_DATA_DIR));
    servers.push({
      child: started,
      roles: role === 'all' ? ['api', 'worker'] : [role],
      proxy,
      changeVersion() {
        programs.reverse();
        started.become(argsOf(programs[0] ?? ''));
      },
    });
  }
  await Promise.all(servers.map((server) => server.child.ready()));

  const running = stack.move();
  return {
    ...accounts,
    servers,
    apiUrls: servers
      .flatMap(({ roles }, index) => (roles.includes('api') ? [ports.api[index]] : []))
      .map((port) => `http://127.0.0.1:${port}`),
    provider,
    receiver,
    objects,
    disk,
    cluster,
    env,
    exits,
    findings,
    skews,
    older,
    files,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startDatabase(disk: SmallDisk | null): Promise<Cluster> {
  const log: [string, string] = ['max_wal_size', '256MB'];
  if (!disk) return startCluster({ durable: true });
  const data = join(disk.path, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (serverUser.uid !== undefined)
    for (const path of [disk.path, data]) chownSync(path, serverUser.uid, serverUser.uid);
  return startCluster({ durable: true, connections, data, more: [log] });
}

const s3Key = 'S3RVER';

function bucketUrl(bucket: string, endpoint: string): string {
  return `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}`;
}

type Ports = Record<'api' | 'worker', readonly [number, number]>;

const onPostgres = ({ api, worker }: Ports) =>
  [
    { name: 'api-1', role: 'api', port: api[0] },
    { name: 'api-2', role: 'api', port: api[1] },
    { name: 'worker-1', role: 'worker', port: worker[0] },
    { name: 'worker-2', role: 'worker', port: worker[1] },
  ] as const;
const onSqlite = ({ api }: Ports) => [{ name: 'all-1', role: 'all', port: api[0] }] as const;
