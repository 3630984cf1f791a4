import { t } from '../../languages/words.ts';
export interface Listed {
  prompt: string;
  model: string;
  ratio: string;
  resolution: string;
  /** The other columns' cells, by header. */
  more: Record<string, string>;
}

export type ReadList = { rows: Listed[]; more: string[] } | { wrong: string };

/** The accepted column names, in lower case and with letters only. */
const heads: Record<string, Exclude<keyof Listed, 'more'>> = {
  prompt: 'prompt',
  model: 'model',
  ratio: 'ratio',
  aspectratio: 'ratio',
  resolution: 'resolution',
  size: 'resolution',
};

/** Reads one prompt per line, or a CSV table (RFC 4180) with commas, semicolons or tabs and a header with `prompt`. */
export function readList(text: string): ReadList {
  const start = text.replace(/^\ufeff/, '').trimStart();
  const [first = ''] = start.split(/\r?\n|\r/, 1);
  const separator = [',', ';', '\t'].find((one) => recordsOf(first, one)?.[0]?.some(isPrompt));
  if (!separator) {
    const prompts = start.split(/\r?\n|\r/).map((line) => line.trim());
    return { rows: prompts.filter((prompt) => prompt !== '').map(aloneOf), more: [] };
  }
  const records = recordsOf(start, separator);
  if (!records) return { wrong: t('A quote is not closed, or not at the end of its cell.') };
  const [head = [], ...rest] = records;
  const titles = head.map((column) => column.trim());
  // Cells under no title are ignored, but after the last prompt they may belong to it.
  const titled = titles.findLastIndex((title) => title !== '') + 1;
  const columns = isPrompt(titles[titled - 1] ?? '') ? titles.slice(0, titled) : titles;
  const lines = rest.map((cells) => fitted(cells, columns, separator));
  const long = lines.findIndex((cells) => cells.length > columns.length);
  // Such a row may have a prompt that ends at its first separator, which would be made and charged.
  if (long !== -1)
    return {
      // In spreadsheets, the header is row 1.
      wrong: t('Row {row} has more cells than the header. Put its prompt in quotes.', { row: long + 2 }),
    };
  const rows = lines
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) => rowOf(columns, cells));
  return { rows, more: columns.filter((column) => column !== '' && !fieldOf(column)) };
}

function isPrompt(head: string): boolean {
  return fieldOf(head) === 'prompt';
}

function fieldOf(head: string) {
  return heads[head.toLowerCase().replaceAll(/[^a-z]/g, '')];
}

function aloneOf(prompt: string): Listed {
  return { prompt, model: '', ratio: '', resolution: '', more: {} };
}

/** Drops empty cells that have no column. A prompt without quotes in the last column keeps its separators. */
function fitted(cells: readonly string[], columns: readonly string[], separator: string): string[] {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const used = cells.slice(0, Math.max(filled, columns.length));
  const last = columns.length - 1;
  const isPromptLast = isPrompt(columns[last] ?? '');
  const joined = isPromptLast ? [...used.slice(0, last), used.slice(last).join(separator)] : used;
  return joined.map((cell) => cell.trim());
}

function rowOf(columns: readonly string[], cells: readonly string[]): Listed {
  const row = aloneOf('');
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    const field = fieldOf(column);
    if (field) row[field] = cell;
    else if (column !== '' && cell !== '') row.more[column] = cell;
  }
  return row;
}

/** Returns the table's lines; undefined if a quote is never closed, because the lines after it cannot be trusted. */
function recordsOf(text: string, separator: string): string[][] | undefined {
  const part = new RegExp(`("(?:[^"]|"")*"|(?!")[^${separator}\\r\\n]*)(${separator}|\\r?\\n|\\r|$)`, 'y');
  const records: string[][] = [];
  let record: string[] = [];
  while (part.lastIndex < text.length) {
    const [, cell, end] = part.exec(text) ?? [];
    if (cell === undefined) return undefined;
    record.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === separator) continue;
    records.push(record);
    record = [];
  }
  return record.length > 0 ? [...records, [...record, '']] : records;
}
