import { groupDigits } from '../../base/std/group-digits.ts';
import { unreadable } from './unreadable.ts';

export type Row = (head: string) => string | undefined;

export interface Table {
  heads: ReadonlySet<string>;
  rows: Iterable<Row>;
}

/** The maximum number of rows. A month of hourly rows has about 720 per model. */
const maxRows = 100_000;
/** The maximum depth of JSON. Vendors' answers have six levels. */
const maxDepth = 20;

/** The maximum number of lines that a file may have before its table. */
const maxPreface = 40;

/**
 * Yields the tables that a file may contain. In CSV (commas, semicolons or tabs), each of the first lines may be a
 * table's header. JSON is one table of its innermost objects, with the fields around them. Headers are reduced to a-z
 * and 0-9.
 */
export function* readTables(text: string): Generator<Table> {
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (/^[[{]/.test(start)) {
    const table = { heads: new Set<string>(), rows: [] };
    addObjects(parseJson(start), { table, around: () => undefined, depth: 0 });
    yield table;
    return;
  }
  const separator = [',', ';', '\t'].toSorted((one, other) => countOf(start, other) - countOf(start, one))[0];
  const records = [...recordsOf(start, separator ?? ',')];
  for (const [index, record] of records.slice(0, maxPreface).entries()) {
    const heads = record.map(headOf);
    yield { heads: new Set(heads), rows: rowsBelow(records, index, heads) };
  }
}

/** Looks up cells on demand: copying them would be slow for many short lines below a header with many columns. */
function* rowsBelow(records: readonly string[][], index: number, heads: readonly string[]): Generator<Row> {
  const columns = new Map(heads.map((head, column) => [head, column]));
  for (const record of records.slice(index + 1))
    yield (head) => {
      const column = columns.get(head);
      return column === undefined ? undefined : record[column]?.trim();
    };
}

function headOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function countOf(text: string, separator: string): number {
  return text.slice(0, 4_000).split(separator).length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The fields in which vendors nest rows. */
const lists = new Set(['data', 'results', 'result', 'timeseries', 'value', 'items']);

/** Adds the innermost objects as rows. They look up outer fields on demand, because copies would take gigabytes. */
function addObjects(
  value: unknown,
  { table, around, depth }: { table: { heads: Set<string>; rows: Row[] }; around: Row; depth: number },
): void {
  assertShallow(depth);
  if (Array.isArray(value)) for (const item of value) addObjects(item, { table, around, depth: depth + 1 });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const fields = new Map(fieldsOf('', value, depth));
  for (const head of fields.keys()) table.heads.add(head);
  const row: Row = (head) => fields.get(head) ?? around(head);
  const inner = Object.entries(value).filter(
    ([name, list]) => lists.has(headOf(name)) && Array.isArray(list),
  );
  if (inner.length === 0 && table.rows.push(row) > maxRows) throw tooManyRows();
  for (const [, list] of inner) addObjects(list, { table, around: row, depth: depth + 1 });
}

function* fieldsOf(prefix: string, object: object, depth: number): Generator<[string, string]> {
  assertShallow(depth);
  for (const [name, value] of Object.entries(object)) {
    const head = prefix + headOf(name);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      yield* fieldsOf(head, value, depth + 1);
    else if (['string', 'number', 'boolean'].includes(typeof value)) yield [head, String(value)];
  }
}

function assertShallow(depth: number): void {
  if (depth > maxDepth) throw unreadable(`has more than ${maxDepth} objects and lists within one another`);
}

function tooManyRows() {
  return unreadable(`has more than ${groupDigits(maxRows)} lines: export fewer days`);
}

/** Yields the lines of a CSV file (RFC 4180), without empty ones. */
function* recordsOf(text: string, separator: string): Generator<string[]> {
  let count = 0;
  const part = new RegExp(`("(?:[^"]|"")*"|(?!")[^${separator}\\r\\n]*)(${separator}|\\r?\\n|\\r|$)`, 'y');
  let record: string[] = [];
  while (part.lastIndex < text.length) {
    const [, cell, end] = part.exec(text) ?? [];
    // A quote that does not end its cell makes the rest unreliable.
    if (cell === undefined) throw unreadable('has a quote that is not closed, or not at the end of its cell');
    record.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === separator) continue;
    const isEmpty = record.length === 1 && cell === '';
    if (!isEmpty) yield record;
    if (!isEmpty && ++count > maxRows) throw tooManyRows();
    record = [];
  }
  // The last line may end with an empty cell and no line break.
  if (record.length > 0) yield [...record, ''];
}
