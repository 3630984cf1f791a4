import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { spreadOut } from '../storable.ts';
import { isBusy } from './errors.ts';

// Waiting inside SQLite blocks the event loop, so this wait is short, and the writer retries in later turns
// of the loop.
const busyTimeoutMs = 20;
// Two processes that start on a new file at once both switch the journal mode; one has to wait.
const journalTimeoutMs = 5_000;
const journalRetryMs = 10;
// There are few statement texts (`rowsOf` rounds up), so this limit is never reached in practice.
const maxStatements = 500;

/** A statement as Kysely compiles it. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** Runs statements on one connection, in the order they are made. @throws SQLite's errors, which `translate` maps */
export interface Statements {
  run<Row>(statement: Statement): QueryResult<Row> | Promise<QueryResult<Row>>;
}

export class SqliteConnection implements Statements, Disposable {
  readonly database: DatabaseSync;
  #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  /** `nowMs` implements `now_ms()` in statements. */
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
    // Deleted rows are overwritten; otherwise prompts and addresses would stay in the file. This takes no
    // measurable time.
    this.database.exec('pragma secure_delete = on');
    // The writer syncs the log after each commit, and copies it into the file in a thread.
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

/**
 * Retries while the file is busy: when two connections have both begun to read, SQLite refuses to wait,
 * because neither would release its lock. Nothing else runs in the process yet, so blocking it is harmless.
 */
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
