import { StatementSync } from 'node:sqlite';
import type { Moment, TransactionKind } from './plan.ts';
import { kindOfStatement } from './statements.ts';

let armed: { transaction: TransactionKind; moment: Moment } | null = null;
let patched = false;

export function dieAtCommit(order: { transaction: TransactionKind; moment: Moment }): void {
  armed = order;
  if (!patched) watchStatements();
  patched = true;
}

function watchStatements(): void {
  const { all, run } = StatementSync.prototype;
  let current: TransactionKind | undefined;
  Object.assign(StatementSync.prototype, {
    all(this: StatementSync, ...values: unknown[]) {
      current = kindOfStatement(this.sourceSQL) ?? current;
      return Reflect.apply(all, this, values);
    },
    run(this: StatementSync, ...values: unknown[]) {
      const sql = this.sourceSQL;
      if (sql === 'begin immediate') current = undefined;
      current = kindOfStatement(sql) ?? current;
      const isIt = sql === 'commit' && armed !== null && armed.transaction === current;
      if (isIt && armed?.moment === 'before') process.kill(process.pid, 'SIGKILL');
      const result = Reflect.apply(run, this, values);
      if (isIt) process.kill(process.pid, 'SIGKILL');
      return result;
    },
  });
}
