import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { connectionOf } from './queries.ts';

// Nothing that begins like this changes anything, here or in a function that it calls.
const read = /^\s*select\b/;
// Statement texts are few (a batch is one parameter); beyond this many they are no longer kept prepared.
const maxPrepared = 500;

/** Names statements, so that every connection parses and plans each text once. */
export class StatementNames {
  #names = new Map<string, string>();
  #generation = 0;

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxPrepared) return known;
    const name = `s${this.#generation}_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** Has every statement prepared anew: a newer process has changed a table beneath them. */
  renew(): void {
    this.#generation += 1;
    this.#names.clear();
  }
}

/** One client of the pool, for one query or one transaction. Queries made together are sent together. */
export class PostgresConnection {
  readonly queries = connectionOf((query) => this.#run(query));
  #client: pg.PoolClient;
  #names: StatementNames;
  #begun: Promise<unknown> | undefined;
  #inOrder: Promise<unknown> | undefined;
  #broken: unknown;
  #failed: unknown;
  #over = false;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  /** Begins a transaction without waiting for the answer: it travels with the reads that come first. */
  begin(): void {
    this.#begun = this.#send({ text: 'begin' });
    this.#begun.catch(() => {}); // whoever waits for it hears of it
  }

  /** @throws when the transaction was rolled back instead */
  async commit(): Promise<void> {
    await this.#begun;
    const { command } = await this.#send({ text: 'commit' });
    // What PostgreSQL answers when a statement before it had failed.
    if (command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
  }

  async rollback(): Promise<void> {
    this.#over = true; // a write that waits for `begin` would be sent behind the rollback, on its own
    await this.#send({ text: 'rollback' }).catch(() => {}); // a connection that cannot even do this is closed
  }

  /** Gives the client back, or closes it when a query of it was never answered: it may be half open. */
  release(): void {
    this.#client.release(this.#broken !== undefined);
  }

  async #run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // A write that is sent before the answer to `begin` would be on its own if that failed. Whatever comes after waits too.
    if (this.#begun && !read.test(sql)) this.#inOrder = this.#begun;
    if (this.#inOrder) await this.#inOrder;
    if (this.#over) throw new Error('The transaction was rolled back before this query was sent.');
    const name = this.#names.nameOf(sql);
    const values = parameters as unknown[]; // the driver copies them
    const { rows, rowCount } = await this.#send({ text: sql, values, name });
    return {
      rows: rows as Row[], // as the typed query says
      ...(rowCount !== null && { numAffectedRows: BigInt(rowCount) }),
    };
  }

  async #send(query: pg.QueryConfig): Promise<pg.QueryResult<object>> {
    // A rollback would wait behind the query that nobody answers.
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return await this.#client.query(query);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.#broken = error;
      // What was sent behind a statement that failed only says that something failed.
      this.#failed ??= error;
      throw this.#failed;
    }
  }
}
