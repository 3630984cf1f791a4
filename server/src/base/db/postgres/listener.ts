import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { type Channel, channels } from '../database.ts';
import type { Queries } from '../schema.ts';
import type { Servers } from './servers.ts';

const relistenMs = 500;
const electionLock = 4_736_254;
/** The first half of the advisory lock of each process; the second half is the process's number. */
const runningLock = 4_736_255;
const largestHalf = 2 ** 31;
/** The silence after which the server ends the session of a suspended process or dead machine. */
const silentForMs = 10_000;

/** A dedicated connection for LISTEN and for the locks of election and process, reopened whenever it breaks. */
export class PostgresListener {
  #servers: Servers;
  #callbacks = new Map<string, Set<(text: string) => void>>();
  #client: pg.Client | undefined;
  #closed = false;
  #elected: pg.Client | undefined;
  readonly process = String(randomInt(largestHalf));

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  add(channel: Channel, callback: (text: string) => void): () => void {
    const name = `darkroom_${channel}`;
    const callbacks = this.#callbacks.get(name) ?? new Set();
    callbacks.add(callback);
    this.#callbacks.set(name, callbacks);
    if (!this.#client) void this.#connect();
    return () => callbacks.delete(callback);
  }

  async isElected(): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    try {
      if (this.#elected === client) await client.query('select 1');
      else if (await takeLock(client)) this.#elected = client;
    } catch {
      this.#drop(client); // dropping it ends its session
    }
    return this.#client === client && this.#elected === client;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const config = await this.#servers.primary().catch(() => undefined);
    if (this.#client || this.#closed) return;
    if (!config) return this.#connectLater();
    const client = new pg.Client({ ...config, keepAlive: true });
    this.#client = client;
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const callback of this.#callbacks.get(channel) ?? []) callback(payload);
    });
    try {
      await client.connect();
      await client.query(channels.map((channel) => `listen darkroom_${channel}`).join('; '));
      // The server releases the lock when the connection ends, even if the process dies. The lock is shared because the
      // server may keep the session of a broken connection, and its lock, for a while.
      await client.query('select pg_try_advisory_lock_shared($1, $2)', [runningLock, Number(this.process)]);
    } catch {
      this.#drop(client);
    }
    // The listener was closed or the client dropped while it was connecting, so this connection may still be open.
    if (this.#client !== client) return void client.end().catch(() => {});
    // Notifications may have been missed while disconnected.
    for (const callbacks of this.#callbacks.values()) for (const callback of callbacks) callback('');
  }

  /** Drops a broken client. Ignores a client that was already replaced: its events can still arrive long afterwards. */
  #drop(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#elected = undefined;
    this.#servers.doubt();
    client.end().catch(() => {});
    if (!this.#closed) this.#connectLater();
  }

  #connectLater(): void {
    setTimeout(() => void this.#connect(), relistenMs).unref();
  }
}

export async function isRunning(queries: Queries, process: string): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and classid = ${runningLock} and objid = ${Number(process)}`.execute(queries);
  return rows.length > 0;
}

async function takeLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    electionLock,
  ]);
  if (!rows[0]?.taken) return false;
  await client.query(`set idle_session_timeout = ${silentForMs}`);
  return true;
}
