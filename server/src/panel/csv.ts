import { Readable } from 'node:stream';
import { Streamed } from './streamed.ts';

export type Cell = string | number | null;

/** A table for spreadsheets (RFC 4180), written as its rows come. */
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

// A spreadsheet would run a text that begins like this as a formula; an apostrophe makes it text. Numbers stay.
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;

function quote(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
