import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Meter } from '../../metrics/meter.ts';
import { assertOwnSessions } from './pooler.ts';
import type { ServerConfig } from './servers.ts';
import { applySettings } from './settings.ts';

/** The maximum number of connections per process. If all are in use, a read goes to the primary. */
export const replicaConnections = 2;
/** The longest wait for a replica's answer. Then the primary answers instead. */
const answerTimeoutMs = 1_000;
/** The longest time that a list waits for the replica to catch up. Usually it is less than a millisecond behind. */
const patienceMs = 100;
const askAgainMs = 5;
const awayMs = 5_000;
const remedy = 'give the address of the PostgreSQL server itself';

interface Primary {
  /** The end of the log on the server's disk, which covers every commit reported so far. */
  position(): Promise<string>;
  identity(): Promise<string>;
}

interface ReplicaOptions {
  config: ServerConfig;
  primary: Primary;
  meter: Meter;
  onChange(reason: string | undefined): void;
}

/** Selects a text that a server and all its replicas share. */
export const identityText = `
  select (select system_identifier from pg_control_system()) || ' ' || current_database() as identity`;
export const positionText = 'select pg_current_wal_flush_lsn()::text as position';
const behindText = `select pg_is_in_recovery() as follows,
  pg_wal_lsn_diff($1::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0'))::float8 as behind`;

/** Decides which reads a replica answers: those for which it has all earlier commits. */
export class Replica {
  #pool: pg.Pool;
  #primary: Primary;
  #onChange: ReplicaOptions['onChange'];
  #countRead: (from: 'replica' | 'primary') => void;
  #isAway = false;
  #awayUntil = 0;
  #isBehind = false;
  #behind = 0;

  constructor({ config, primary, meter, onChange }: ReplicaOptions) {
    this.#primary = primary;
    this.#onChange = onChange;
    this.#pool = new pg.Pool({
      ...config,
      connectionTimeoutMillis: answerTimeoutMs,
      onConnect: (client) => this.#prepare(client, config),
    });
    // Handles errors of idle connections, as in the primary's pool. Connections in use report their errors themselves.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    const reads = meter.counter(
      'darkroom_replica_reads_total',
      'Reads of lists and figures, by the server that answered.',
      ['from'],
    );
    this.#countRead = (from) => reads.add([from]);
    meter.reading(
      'darkroom_replica_up',
      'Whether the replica answered the last time it was asked.',
      [],
      () => [[this.#isAway ? 0 : 1, []]],
    );
    meter.reading(
      'darkroom_replica_lag_bytes',
      "Bytes of the primary's log that the replica had not replayed the last time it was asked.",
      [],
      () => [[this.#behind, []]],
    );
  }

  /** Reads from the replica. On any problem, the primary answers instead. */
  async read<T>(there: (client: pg.PoolClient) => Promise<T>, onPrimary: () => Promise<T>): Promise<T> {
    const client = await this.#connectCaughtUp();
    if (client) {
      try {
        const result = await there(client);
        this.#countRead('replica');
        return result;
      } catch {
        // The primary answers instead, even after a cancelled statement (40001), and reports the query's own errors.
      }
    }
    this.#countRead('primary');
    return onPrimary();
  }

  /** How many bytes of log the replica is behind. @throws the replica's error */
  async lag(): Promise<number> {
    const position = await this.#primary.position();
    const client = await this.#pool.connect();
    try {
      return await this.#ask(client, position);
    } finally {
      client.release(true);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #connectCaughtUp(): Promise<pg.PoolClient | undefined> {
    if (performance.now() < this.#awayUntil || this.#isBusy()) return undefined;
    const position = await this.#primary.position();
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      const hasCaughtUp = await this.#catchesUp(client, position);
      this.#setAway(undefined);
      if (hasCaughtUp) return client;
      client.release();
    } catch (error) {
      client?.release(true);
      this.#awayUntil = performance.now() + awayMs;
      this.#setAway(error instanceof Error ? error.message || error.name : String(error));
    }
    return undefined;
  }

  #isBusy(): boolean {
    return this.#pool.idleCount === 0 && this.#pool.totalCount >= replicaConnections;
  }

  /** Waits briefly for the replica, unless the previous read already waited without success. */
  async #catchesUp(client: pg.PoolClient, position: string): Promise<boolean> {
    const giveUp = performance.now() + (this.#isBehind ? 0 : patienceMs);
    for (;;) {
      this.#behind = await this.#ask(client, position);
      this.#isBehind = this.#behind > 0;
      if (!this.#isBehind) return true;
      if (performance.now() >= giveUp) return false;
      await sleep(askAgainMs);
    }
  }

  async #ask(client: pg.PoolClient, position: string): Promise<number> {
    const { rows } = await client.query<{ follows: boolean; behind: number }>({
      text: behindText,
      values: [position],
      name: 'behind',
      query_timeout: answerTimeoutMs,
    } as pg.QueryConfig); // the driver accepts a timeout for one query, which its types leave out
    const [answer] = rows;
    if (!answer?.follows) throw new Error('it is no replica, but takes writes itself');
    return Math.max(0, answer.behind);
  }

  /** Checks each connection once, because log positions of another installation would mean nothing. */
  async #prepare(client: pg.ClientBase, config: ServerConfig): Promise<void> {
    const { rows } = await client.query<{ identity: string }>(identityText);
    if (rows[0]?.identity !== (await this.#primary.identity()))
      throw new Error('it is not a replica of the database of DATABASE_URL');
    await assertOwnSessions({ name: 'DATABASE_READ_URL', remedy }, config, client);
    await applySettings(client);
  }

  #setAway(reason: string | undefined): void {
    if (this.#isAway === (reason !== undefined)) return;
    this.#isAway = reason !== undefined;
    this.#onChange(reason);
  }
}
