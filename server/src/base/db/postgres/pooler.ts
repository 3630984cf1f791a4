import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { SettingError } from '../../../errors.ts';

/** Checks that each connection has its own session, which LISTEN and the election lock need. @throws SettingError */
export async function assertOwnSessions(
  { name, remedy }: { name: string; remedy: string },
  config: pg.ClientConfig,
  first?: pg.ClientBase,
): Promise<void> {
  if (!first) {
    await using own = await open(config);
    return await assertOwnSessions({ name, remedy }, config, own.client);
  }
  if (await isDirect(first)) return;
  await using second = await open(config);
  const before = await sessionOf(first);
  await second.client.query('begin');
  const other = await sessionOf(second.client);
  // A pooler gives its free session to the next query. While the second connection holds it, the first gets another.
  if (other !== before && (await sessionOf(first)) === before) return;
  throw new SettingError(
    `${name} leads to a pooler that pools by transaction: ${remedy}, or pool_mode = session (docs/guides/operating.md).`,
  );
}

/** Whether a pooler keeps clients' prepared statements apart, like PgBouncer 1.21 with `max_prepared_statements`. */
export async function keepsStatements(client: pg.ClientBase): Promise<boolean> {
  const name = `darkroom ${randomUUID()}`;
  await client.query('begin');
  try {
    const text = 'select from pg_prepared_statements where name = $1';
    const { rowCount } = await client.query({ name, text, values: [name] });
    if (rowCount) await client.query(`deallocate "${name}"`);
    return rowCount === 0;
  } finally {
    await client.query('rollback');
  }
}

async function open(config: pg.ClientConfig): Promise<AsyncDisposable & { client: pg.Client }> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

/** Whether the connection is direct: only then does the server see the port that we use. */
async function isDirect(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ port: number | null }>('select inet_client_port() as port');
  const { connection } = client as unknown as { connection: { stream: { localPort?: number } } }; // not in its types
  return rows[0]?.port === (connection.stream.localPort ?? null);
}

async function sessionOf(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
