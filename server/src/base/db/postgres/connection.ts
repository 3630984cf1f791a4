import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { connectionOf } from '../queries.ts';
import { storableValues } from '../storable.ts';

// Matches statements that write nothing, not even through the functions that they call.
const read = /^\s*select\b/;
// The maximum number of prepared statements. There are few statement texts, because a batch is one parameter.
const maxPrepared = 500;

/** Names statements, so that every connection parses and plans each text once. */
export class StatementNames {
  #names = new Map<string, string>();
  #generation = 0;
  #most = maxPrepared;

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= this.#most) return known;
    const name = `s${this.#generation}_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** Stops naming statements, because a pooler may look for a name in a session that does not know it. */
  giveNone(): void {
    this.#most = 0;
    this.#names.clear();
  }

  /** Prepares every statement again, after a newer process has changed a table. */
  renew(): void {
    this.#generation += 1;
    this.#names.clear();
  }
}

/** A client of the pool, for one query or one transaction. Pipelines queries that are made at the same time. */
export class PostgresConnection {
  readonly queries = connectionOf((query) => this.#run(query));
  #client: pg.PoolClient;
  #names: StatementNames;
  #begun: Promise<unknown> | undefined;
  #inOrder: Promise<unknown> | undefined;
  #broken: unknown;
  #failed: unknown;
  #over = false;
  #committed: Promise<void> | undefined;

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  /** Begins a transaction without waiting for the answer, so that it shares the round trip of the first reads. */
  begin(text: string): void {
    this.#begun = this.#send({ text });
    this.#begun.catch(() => {}); // `commit` or the first write reports it
  }

  /** Commits without waiting for the answers to `work`'s queries. @throws when a failed query rolled everything back */
  async commitWith<T>(work: () => Promise<T>): Promise<T> {
    // If the transaction did not begin, no write was sent, and the commit must not be sent either.
    await this.#begun;
    let hasFailed = false;
    const answered = work();
    answered.catch(() => (hasFailed = true));
    await everythingAsked();
    if (hasFailed) return answered;
    const committed = this.commit();
    this.#over = true;
    const [answer, commit] = await Promise.allSettled([answered, committed]);
    if (answer.status === 'rejected') throw answer.reason;
    if (commit.status === 'rejected') throw commit.reason;
    return answer.value;
  }

  /** Commits, unless `commitWith` already did. @throws when the transaction was rolled back instead */
  commit(): Promise<void> {
    this.#committed ??= this.#commit();
    return this.#committed;
  }

  async #commit(): Promise<void> {
    await this.#begun;
    const { command } = await this.#send({ text: 'commit' });
    // PostgreSQL answers `ROLLBACK` to a commit if an earlier statement failed.
    if (command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: one of its statements had failed.');
  }

  async rollback(): Promise<void> {
    this.#over = true; // otherwise a write that waits for `begin` would be sent after the rollback
    if (this.#committed) return; // the commit failed: nothing is left to roll back, or the connection is broken
    await this.#send({ text: 'rollback' }).catch(() => {}); // if even this fails, the connection is closed
  }

  /** Returns the client to the pool. Closes it if a query was not answered, because the connection may be broken. */
  release(): void {
    this.#client.release(this.#broken !== undefined);
  }

  async #run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // If `begin` fails, a write sent before its answer would run outside the transaction. So writes and later queries
    // wait.
    if (this.#begun && !read.test(sql)) this.#inOrder = this.#begun;
    if (this.#inOrder) await this.#inOrder;
    if (this.#over) throw new Error('The transaction has ended before this query was sent.');
    const name = this.#names.nameOf(sql);
    const values = storableValues(parameters) as unknown[]; // the driver changes only a copy
    const { rows, rowCount } = await this.#send({ text: sql, values, name });
    return {
      rows: rows as Row[], // as the typed query says
      ...(rowCount !== null && { numAffectedRows: BigInt(rowCount) }),
    };
  }

  async #send(query: pg.QueryConfig): Promise<pg.QueryResult<object>> {
    // Without this, a rollback would wait behind the unanswered query.
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return await this.#client.query(query);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) this.#broken = error;
      // After a failure, pipelined statements report only that the transaction has failed, so the first error is kept.
      this.#failed ??= error;
      throw this.#failed;
    }
  }
}

/** Resolves once code that awaits only settled promises has run: Node calls `nextTick` callbacks after such code. */
async function everythingAsked(): Promise<void> {
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
}
