import { Readable } from 'node:stream';
import { Streamed } from './streamed.ts';

export type Cell = string | number | null;

/** Writes a table as CSV (RFC 4180), row by row as they arrive. */
export function csv(
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
): Streamed {
  async function* lines() {
    yield `${header.join(',')}\r\n`;
    for await (const row of rows) yield `${row.map(quote).join(',')}\r\n`;
  }
  return new Streamed({ mediaType: 'text/csv; charset=utf-8', fileName, content: Readable.from(lines()) });
}

/** Writes rows as JSON, one a line (JSON Lines), as they arrive. */
export function jsonLines(fileName: string, rows: AsyncIterable<object>): Streamed {
  async function* lines() {
    for await (const row of rows) yield `${JSON.stringify(row)}\n`;
  }
  return new Streamed({ mediaType: 'application/jsonl', fileName, content: Readable.from(lines()) });
}

// A spreadsheet would run text that begins like this as a formula; a leading apostrophe keeps it text.
// Numbers are left alone.
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;

function quote(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
