import { Readable } from 'node:stream';
import { Streamed } from './streamed.ts';

export type Cell = string | number | null;
type Rows<Row> = AsyncIterable<Row> | Iterable<Row>;

/** Writes CSV (RFC 4180) as the rows arrive. */
export async function csv(
  fileName: string,
  header: readonly string[],
  rows: Rows<readonly Cell[]>,
): Promise<Streamed> {
  const begun = await begin(rows);
  async function* lines() {
    yield `${header.join(',')}\r\n`;
    for await (const row of begun) yield `${row.map(quote).join(',')}\r\n`;
  }
  return new Streamed({ mediaType: 'text/csv; charset=utf-8', fileName, content: Readable.from(lines()) });
}

export async function jsonLines(fileName: string, rows: Rows<object>): Promise<Streamed> {
  const begun = await begin(rows);
  async function* lines() {
    for await (const row of begun) yield `${JSON.stringify(row)}\n`;
  }
  return new Streamed({ mediaType: 'application/jsonl', fileName, content: Readable.from(lines()) });
}

/** Reads the first row before the answer begins, so that an error, such as an invalid filter, has its own status. */
async function begin<Row>(rows: Rows<Row>): Promise<AsyncIterable<Row>> {
  const left = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const first = await left.next();
  return (async function* () {
    for (let next = first; !next.done; next = await left.next()) yield next.value;
  })();
}

// A spreadsheet would run text that begins like this as a formula. In East Asia, the full-width characters also begin
// formulas. A leading `'` prevents that.
const formula = /^[=+\-@\t\r\n＝＋－＠]/;
const number = /^-?\d+(\.\d+)?$/;

function quote(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
