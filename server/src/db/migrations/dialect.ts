/** What differs between the databases in the text of a migration. */
export interface Dialect {
  kind: 'sqlite' | 'postgres';
  /** A 64-bit integer. */
  int: string;
  uuid: string;
  /** An integer primary key that the database counts up. */
  serial: string;
  /** After the closing parenthesis of `create table`. */
  strict: string;
  /** Instead of `strict`, for tables that are written with every job: rows lie in the order of the primary key. */
  clustered: string;
  /** A trigger that refuses a change of a row when `condition` (over `old` and `new`) holds. */
  rejectChange(table: string, change: 'update' | 'delete', condition: string, message: string): string[];
}

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  int: 'integer',
  uuid: 'text',
  serial: 'integer primary key autoincrement',
  strict: 'strict',
  clustered: 'strict, without rowid',
  rejectChange: (table, change, condition, message) => [
    `create trigger "${table}: ${message}" before ${change} on ${table} when ${condition}
      begin select raise(abort, '${table}: ${message}'); end`,
  ],
};

export const postgresDialect: Dialect = {
  kind: 'postgres',
  int: 'bigint',
  uuid: 'uuid',
  serial: 'bigint generated always as identity primary key',
  strict: '',
  clustered: '',
  rejectChange: (table, change, condition, message) => [
    `create trigger "${table}: ${message}" before ${change} on ${table} for each row when (${condition})
      execute function reject_change('${table}: ${message}')`,
  ],
};
