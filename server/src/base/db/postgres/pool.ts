import pg from 'pg';
import type { ServerConfig, Servers } from './servers.ts';

/** Connections to the server that takes writes. A failover changes which server that is. */
export class PrimaryPool {
  #servers: Servers;
  #prepare: (client: pg.ClientBase) => Promise<void>;
  #current: { config: ServerConfig; pool: pg.Pool } | undefined;

  /** `prepare` runs once on each connection. */
  constructor(servers: Servers, prepare: (client: pg.ClientBase) => Promise<void>) {
    this.#servers = servers;
    this.#prepare = prepare;
  }

  async connect(): Promise<pg.PoolClient> {
    return (await this.#pool()).connect();
  }

  async query(text: string, values: unknown[]): Promise<void> {
    await (await this.#pool()).query(text, values);
  }

  count(): { used: number; idle: number; waiting: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.#current?.pool ?? {};
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async end(): Promise<void> {
    await this.#current?.pool.end();
  }

  async #pool(): Promise<pg.Pool> {
    const config = await this.#servers.primary();
    if (this.#current?.config === config) return this.#current.pool;
    void this.#current?.pool.end(); // connections in use end when they are returned
    const pool = new pg.Pool({ ...config, onConnect: this.#prepare });
    // The pool itself drops broken idle connections and opens others.
    pool.on('error', () => this.#servers.doubt());
    // A query on a broken connection fails anyway, but an unhandled error event would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
    this.#current = { config, pool };
    return pool;
  }
}
