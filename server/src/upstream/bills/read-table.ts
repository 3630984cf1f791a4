import { unreadable } from './unreadable.ts';

/** Rows by the heads of their columns. */
export interface Table {
  heads: ReadonlySet<string>;
  rows: Iterable<ReadonlyMap<string, string>>;
}

/** Some files say whose they are before the table begins. */
const maxPreface = 40;

/**
 * The tables that a file may be read as: of CSV with commas, semicolons or tabs one for every line that may be its head, of JSON the
 * one of its innermost objects, each with the fields of those around it. Heads are lower case, letters and digits alone.
 */
export function* readTables(text: string): Generator<Table> {
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (/^[[{]/.test(start)) {
    const rows = [...objectsIn(parseJson(start), new Map())];
    yield { heads: new Set(rows.flatMap((row) => [...row.keys()])), rows };
    return;
  }
  const separator = [',', ';', '\t'].toSorted((one, other) => countOf(start, other) - countOf(start, one))[0];
  const records = [...recordsOf(start, separator ?? ',')];
  for (const [index, record] of records.slice(0, maxPreface).entries()) {
    const heads = record.map(headOf);
    yield { heads: new Set(heads), rows: rowsBelow(records, index, heads) };
  }
}

function* rowsBelow(records: readonly string[][], index: number, heads: readonly string[]) {
  for (const record of records.slice(index + 1))
    yield new Map(heads.map((head, column) => [head, record[column]?.trim() ?? '']));
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

/** Where vendors keep the rows of an answer, and its parts. */
const lists = new Set(['data', 'results', 'result', 'timeseries', 'value', 'items']);

function* objectsIn(
  value: unknown,
  around: ReadonlyMap<string, string>,
): Generator<ReadonlyMap<string, string>> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item, around);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const row = new Map([...around, ...fieldsOf('', value)]);
  const inner = Object.entries(value).filter(
    ([name, list]) => lists.has(headOf(name)) && Array.isArray(list),
  );
  if (inner.length === 0) yield row;
  for (const [, list] of inner) yield* objectsIn(list, row);
}

function* fieldsOf(prefix: string, object: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(object)) {
    const head = prefix + headOf(name);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) yield* fieldsOf(head, value);
    else if (['string', 'number', 'boolean'].includes(typeof value)) yield [head, String(value)];
  }
}

/** The lines of a CSV file (RFC 4180). */
function* recordsOf(text: string, separator: string): Generator<string[]> {
  const part = new RegExp(`("(?:[^"]|"")*"|(?!")[^${separator}\\r\\n]*)(${separator}|\\r?\\n|\\r|$)`, 'y');
  let record: string[] = [];
  while (part.lastIndex < text.length) {
    const [, cell, end] = part.exec(text) ?? [];
    // A quote that does not end its cell: nothing after it could be trusted.
    if (cell === undefined) throw unreadable('has a quote that is not closed, or not at the end of its cell');
    record.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === separator) continue;
    yield record;
    record = [];
  }
  // The last line ends with an empty cell, and nothing after it.
  if (record.length > 0) yield [...record, ''];
}
