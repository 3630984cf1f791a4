export interface Dialect {
  kind: 'sqlite' | 'postgres';
  /** A 64-bit integer. */
  int: string;
  uuid: string;
  /** An integer primary key whose values the database assigns in order. */
  serial: string;
  /** Text to add after the closing parenthesis of `create table`. */
  strict: string;
  /** Replaces `strict` for tables that every job writes. Rows are stored in primary key order. */
  clustered: string;
  /** A trigger that refuses a row change if `condition` (over `old` and `new`) is true. */
  rejectChange(table: string, change: 'update' | 'delete', condition: string, message: string): string[];
  /** The query for all columns, or one table's, as `table.column`. Omits search indexes, which differ by database. */
  columns(table?: string): string;
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
  // A start asks only for one table, and reading all of them takes 0.7 ms.
  columns: (table) =>
    table === undefined
      ? `select tables.name || '.' || columns.name as name
          from pragma_table_list as tables join pragma_table_info(tables.name) as columns
          where tables.schema = 'main' and tables.type = 'table' and tables.name not like 'sqlite_%'`
      : `select '${table}.' || name as name from pragma_table_info('${table}')`,
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
  // This is ten times as fast as information_schema.columns, which checks all rights of every role.
  columns: (table) => `select relname || '.' || attname as name
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p')
      ${table === undefined ? '' : `and relname = '${table}'`}`,
};
