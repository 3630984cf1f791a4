import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { spreadOut } from '../storable.ts';
import { isBusy } from './errors.ts';

// A short wait, because SQLite blocks the event loop during it. The writer retries in later turns of the loop.
const busyTimeoutMs = 20;
// If two processes start on a new file, both switch the journal mode, and one has to wait.
const journalTimeoutMs = 5_000;
const journalRetryMs = 10;
// The maximum number of prepared statements. It is never reached, because `rowsOf` keeps statement texts few.
const maxStatements = 500;

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** Runs statements on one connection, in their order. @throws SQLite's errors, which `translate` maps */
export interface Statements {
  run<Row>(statement: Statement): QueryResult<Row> | Promise<QueryResult<Row>>;
}

export class SqliteConnection implements Statements, Disposable {
  readonly database: DatabaseSync;
  #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  /** `nowMs` is the time that `now_ms()` returns in statements. */
  constructor(file: string, { nowMs, readOnly }: { nowMs: () => number; readOnly: boolean }) {
    this.database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    this.database.function('now_ms', () => Math.trunc(nowMs()));
    if (readOnly) this.database.exec('pragma query_only = on');
    else this.#setJournal();
  }

  run<Row>({ sql, parameters }: Statement): QueryResult<Row> {
    const { statement, returnsRows } = this.#prepare(sql);
    const values = spreadOut(parameters) as SQLInputValue[]; // our typed queries pass only such values
    if (returnsRows) return { rows: statement.all(...values) as Row[] }; // as the typed query says
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  #setJournal(): void {
    patiently(() => this.database.exec('pragma journal_mode = wal'));
    // Overwrites deleted rows; otherwise prompts and addresses would stay in the file. The cost is not measurable.
    this.database.exec('pragma secure_delete = on');
    // The writer itself syncs the log after each commit and copies it into the file, in a thread.
    this.database.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    const statement = this.database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Retries in a blocking loop, because SQLite does not wait if two connections have both begun to read. */
function patiently(step: () => void): void {
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (const giveUpAt = performance.now() + journalTimeoutMs; ; ) {
    try {
      step();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      Atomics.wait(still, 0, 0, journalRetryMs);
    }
  }
}
