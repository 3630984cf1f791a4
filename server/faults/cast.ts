import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase, openOperator } from '../src/start/open-operator.ts';
import { freePort } from '../test/world/free-port.ts';
import { type Cluster, startCluster } from '../test/world/postgres.ts';
import { programFile } from '../test/world/program-file.ts';
import type { ServerRole } from './plan.ts';
import { type Exit, type Supervised, supervise } from './supervise.ts';
import { type PostgresProxy, startProxy } from './tcp-proxy.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface ServerProcess {
  child: Supervised;
  /** On SQLite one process does both. */
  roles: readonly ServerRole[];
  /** Its own way to the database; null on SQLite. */
  proxy: PostgresProxy | null;
}

/** An account with its keys. */
export interface Account {
  accountId: string;
  key: string;
  /** May have three unfinished jobs. */
  limitedKey: string;
  /** What it began with. */
  credit: string;
}

/** Everything that runs: the servers, what they depend on, and what the harness needs to look behind them. */
export interface Cast extends AsyncDisposable {
  servers: ServerProcess[];
  apiUrls: string[];
  provider: Supervised;
  receiver: Supervised;
  cluster: Cluster | null;
  accounts: { rich: Account; poor: Account };
  /** An admin key for everything. */
  adminKey: string;
  /** For looking at the database itself, past every proxy. */
  env: NodeJS.ProcessEnv;
  exits: Exit[];
  files: { provider: string; receiver: string; logs: string };
}

const entry = (name: string) => join(import.meta.dirname, name);

export async function startCast({
  database,
  seed,
  root,
  launch = () => [],
}: {
  database: DatabaseKind;
  seed: number;
  root?: string;
  /** Called before a server starts on this data folder, for a command that becomes it. */
  launch?: (dataDir: string) => readonly string[];
}): Promise<Cast> {
  await using stack = new AsyncDisposableStack();
  const folder = root ?? mkdtempSync(join(tmpdir(), 'darkroom-faults-'));
  if (!root) stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    provider: join(folder, 'provider.jsonl'),
    receiver: join(folder, 'receiver.jsonl'),
    logs: join(folder, 'logs'),
  };
  mkdirSync(files.logs, { recursive: true });
  const exits: Exit[] = [];
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
        onExit: (exit) => exits.push(exit),
      }),
    );

  const cluster = database === 'postgres' ? stack.use(await startCluster({ durable: true })) : null;
  const env = {
    PATH: process.env.PATH,
    DARKROOM_DATA_DIR: join(folder, 'data'),
    DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
    DARKROOM_LOG_LEVEL: 'info',
    ...(cluster && { DATABASE_URL: cluster.url }),
  };
  const provider = child('provider', [entry('provider-stub.ts'), String(seed), files.provider], env);
  const receiver = child('receiver', [entry('receiver.ts'), files.receiver], env);
  const stubUrl = (await provider.ready()).url ?? '';
  const { accounts, adminKey } = await openAccounts(env, `${(await receiver.ready()).url}/account`);

  const servers: ServerProcess[] = [];
  const apiUrls: string[] = [];
  for (const { name, role } of cluster ? onPostgres : onSqlite) {
    const proxy = cluster && stack.use(await startProxy(cluster.port));
    const port = role === 'worker' ? 0 : await freePort();
    if (role !== 'worker') apiUrls.push(`http://127.0.0.1:${port}`);
    const address = proxy && { DATABASE_URL: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` };
    const args = [programFile('faults'), role, stubUrl];
    const launcher = launch(env.DARKROOM_DATA_DIR);
    const started = child(name, args, { ...env, ...address, PORT: String(port) }, launcher);
    servers.push({ child: started, roles: role === 'all' ? ['api', 'worker'] : [role], proxy });
  }
  await Promise.all(servers.map((server) => server.child.ready()));

  const running = stack.move();
  return {
    servers,
    apiUrls,
    provider,
    receiver,
    cluster,
    accounts,
    adminKey,
    env,
    exits,
    files,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const onPostgres = [
  { name: 'api-1', role: 'api' },
  { name: 'api-2', role: 'api' },
  { name: 'worker-1', role: 'worker' },
  { name: 'worker-2', role: 'worker' },
] as const;
const onSqlite = [{ name: 'all-1', role: 'all' }] as const;

// The poor account runs dry again and again, so that refusals for money happen among the faults.
const credits = { rich: '10000.00', poor: '3.00' } as const;
const mostOpen = 3;

/** What is told to nobody else is told to this webhook. */
async function openAccounts(
  env: NodeJS.ProcessEnv,
  webhook: string,
): Promise<Pick<Cast, 'accounts' | 'adminKey'>> {
  await migrateDatabase(env);
  await using operator = await openOperator(env);
  const open = async (name: keyof typeof credits): Promise<Account> => {
    const credit = credits[name];
    const { account_id: accountId } = await operator.createAccount({
      name: `faults-${name}`,
      credit,
      webhook,
    });
    const { key } = await operator.createKey(accountId);
    const limited = await operator.createKey(accountId, { limits: { open: mostOpen } });
    return { accountId, key, limitedKey: limited.key, credit };
  };
  const accounts = { rich: await open('rich'), poor: await open('poor') };
  const scopes = ['read', 'accounts', 'money', 'models', 'system'];
  const { key: adminKey } = await operator.createAdminKey('faults', { scopes });
  return { accounts, adminKey };
}
