import { type Dialect, postgresDialect } from '../migrations/dialect.ts';
import type { Migration } from './check-migrated.ts';
import { readStatement } from './read-statement.ts';

/** A step on a PostgreSQL database in use. Only `at once` steps briefly block reads and writes. */
export type OnlineStep =
  | { way: 'at once'; locks: TableLock[]; statements: string[] }
  | { way: 'index'; table: string; index: string; statement: string }
  | { way: 'beside'; table: string; statement: string }
  | { way: 'in parts'; table: string; number: string; statement: string };

/** A lock on a table. `exclusive` still lets others read rows. */
export interface TableLock {
  table: string;
  mode: 'exclusive' | 'access exclusive';
}

/** The growing tables whose rows a migration may update, with the column that numbers their rows. */
const numbered: Record<string, string> = {
  entries: 'id',
  events: 'seq',
  deliveries: 'id',
  audit_log: 'id',
};

/** The setting with which triggers allow changes of rows that otherwise never change. */
export const backFillSetting = 'darkroom.back_fill';

/** Splits a migration into steps that can run on a database in use, such as building indexes concurrently. */
export function onlineStepsOf(
  { statements }: Migration,
  dialect: Dialect = postgresDialect,
): readonly OnlineStep[] {
  const all = statements(dialect);
  const made = tablesMadeBy(all);
  const steps: OnlineStep[] = [];
  let short: string[] = [];
  let beside: OnlineStep[] = [];
  const flush = (...next: OnlineStep[]) => {
    if (short.length > 0) steps.push({ way: 'at once', locks: locksOf(short), statements: short });
    steps.push(...beside, ...next);
    short = [];
    beside = [];
  };

  for (const [nth, statement] of all.entries()) {
    const later = all.slice(nth + 1);
    const { table, change } = readStatement(statement);
    const index = readIndex(statement);
    const check = readCheck(statement);
    const update = readUpdate(statement);
    if (index && !made.has(index.table)) flush(...buildBeside(index, all));
    else if (isReplaced(statement, later)) continue;
    else if (check && !made.has(check.table)) {
      short.push(...check.now);
      beside.push({ way: 'beside', table: check.table, statement: check.later });
    } else if (update && !made.has(update.table)) {
      const guards = suspended(short, later);
      short.push(...guards.map(({ open }) => open));
      flush({ way: 'in parts', ...update, statement });
      short.push(...guards.map(({ drop }) => drop));
    } else if (change === 'sample rows') beside.push({ way: 'beside', table, statement });
    else short.push(statement);
  }
  flush();
  return steps;
}

function tablesMadeBy(statements: readonly string[]): ReadonlySet<string> {
  const made = new Set<string>();
  for (const statement of statements) {
    const { table, change } = readStatement(statement);
    if (change === 'create table') made.add(table);
    const renamed = /rename to (\w+)/.exec(statement)?.[1];
    if (renamed !== undefined && made.has(table)) made.add(renamed);
  }
  return made;
}

/**
 * Returns the locks to take before the first statement, so that no statement waits for one table while it holds
 * another. Referenced tables must be free of row locks too, because a new row locks the row to which it refers.
 */
function locksOf(statements: readonly string[]): TableLock[] {
  const made = new Set<string>();
  const locks = new Map<string, TableLock['mode']>();
  for (const statement of statements) {
    const { table, change } = readStatement(statement);
    if (change === 'create table') made.add(table);
    // Statements that drop or rename an index name the index, not the table.
    else if (!made.has(table) && !/^(drop|alter) index/.test(statement)) locks.set(table, 'access exclusive');
    const renamed = /rename to (\w+)/.exec(statement)?.[1];
    if (renamed !== undefined && made.has(table)) made.add(renamed);
    for (const [, other = ''] of statement.matchAll(/\breferences (\w+)/g))
      if (!made.has(other) && !locks.has(other)) locks.set(other, 'exclusive');
  }
  const all = [...locks].map(([table, mode]) => ({ table, mode }));
  return all.sort((a, b) => Number(b.table === 'accounts') - Number(a.table === 'accounts'));
}

/** Builds the new index beside the old one and then renames it, so that an index always exists. */
function buildBeside({ index, table, beside }: Index, all: readonly string[]): OnlineStep[] {
  const drop = `drop index ${index}`;
  if (!all.includes(drop)) return [{ way: 'index', table, index, statement: beside(index) }];
  const next = `${index}_next`;
  const statements = [drop, `alter index ${next} rename to ${index}`];
  return [
    { way: 'index', table, index: next, statement: beside(next) },
    { way: 'at once', locks: [{ table, mode: 'access exclusive' }], statements },
  ];
}

function isReplaced(statement: string, later: readonly string[]): boolean {
  return later.some((next) => statement === `drop index ${readIndex(next)?.index}`);
}

type Index = NonNullable<ReturnType<typeof readIndex>>;

function readIndex(statement: string) {
  const [, unique = '', index, table, rest = ''] =
    /^create (unique )?index (\w+) on (\w+)(.*)$/s.exec(statement) ?? [];
  if (index === undefined || table === undefined) return undefined;
  const beside = (name: string) => `create ${unique}index concurrently ${name} on ${table}${rest}`;
  return { index, table, beside };
}

/** Reads a constraint that applies to new rows immediately, and is checked for existing rows later. */
function readCheck(statement: string) {
  const column =
    /^alter table (?<table>\w+) add column (?<column>\w+) (?<type>.*?)\s*(?:constraint (?<name>\w+) )?(?<check>check \(.*\))$/s;
  const constraint = /^alter table (?<table>\w+) add constraint (?<name>\w+) (?<check>check \(.*\))$/s;
  const found = (column.exec(statement) ?? constraint.exec(statement))?.groups;
  if (!found) return undefined;
  const { table = '', check = '' } = found;
  const name = found.name ?? `${table}_${found.column}_check`;
  const add =
    found.column === undefined ? [] : [`alter table ${table} add column ${found.column} ${found.type}`];
  return {
    table,
    now: [...add, `alter table ${table} add constraint ${name} ${check} not valid`],
    later: `alter table ${table} validate constraint ${name}`,
  };
}

function readUpdate(statement: string) {
  const table = /^update (\w+) set .* where [^()]+$/s.exec(statement)?.[1];
  const number = numbered[table ?? ''];
  return table === undefined || number === undefined ? undefined : { table, number };
}

/** Finds triggers that are dropped only for the update between `before` and `after`. */
function suspended(before: readonly string[], after: readonly string[]) {
  return before.flatMap((drop) => {
    const name = /^drop trigger ("[^"]+")/.exec(drop)?.[1];
    const made = after.find(
      (statement) => name !== undefined && statement.startsWith(`create trigger ${name} `),
    );
    if (made === undefined) return [];
    const open = made.replace(
      /\bwhen \((.*)\)(\s+execute function)/s,
      `when (current_setting('${backFillSetting}', true) is distinct from 'on' and ($1))$2`,
    );
    return [{ drop, open }];
  });
}
