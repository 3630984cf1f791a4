/** The queries that wait for a table during its change. */
export type Lock = 'nobody' | 'writers' | 'everybody';

export type Change =
  | 'create table'
  | 'alter table'
  | 'check rows'
  | 'sample rows'
  | 'build index'
  | 'write rows'
  | 'change trigger'
  | 'drop';

/** The kinds of statements in migrations, each with PostgreSQL's lock for it. */
const kinds: [pattern: RegExp, change: Change, waits: Lock][] = [
  [/^create (?:virtual |unlogged )?table (\w+)/, 'create table', 'nobody'],
  [/^create (?:unique )?index concurrently \w+ on (\w+)/, 'build index', 'nobody'],
  [/^create (?:unique )?index \w+ on (\w+)/, 'build index', 'writers'],
  [/^create trigger .*? on (\w+)/, 'change trigger', 'writers'],
  [/^drop trigger "(\w+):/, 'change trigger', 'everybody'],
  [/^alter table (\w+) validate constraint/, 'check rows', 'nobody'],
  [/^alter table (\w+) add constraint .* not valid$/, 'alter table', 'everybody'],
  [/^alter table (\w+) add (?:column|constraint).*\bcheck\b/, 'check rows', 'everybody'],
  // Dropping a column rewrites every row, but only on SQLite.
  [/^alter table (\w+) drop column/, 'write rows', 'everybody'],
  [/^alter table (\w+)/, 'alter table', 'everybody'],
  [/^alter index (\w+)/, 'alter table', 'nobody'],
  [/^drop \w+ (\w+)/, 'drop', 'everybody'],
  [/^analyze (\w+)/, 'sample rows', 'nobody'],
  [/^(?:update|insert into|delete from) (\w+)/, 'write rows', 'writers'],
];

/** @throws Error for a kind of statement that no migration has used before */
export function readStatement(statement: string): { table: string; change: Change; waits: Lock } {
  const text = statement.replaceAll(/\s+/g, ' ').trim();
  for (const [pattern, change, waits] of kinds) {
    const table = pattern.exec(text)?.[1];
    if (table !== undefined) return { table, change, waits };
  }
  throw new Error(`read-statement.ts does not know this kind of statement: ${text.slice(0, 80)}`);
}
