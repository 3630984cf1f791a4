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
  const [columns = [], ...rest] = records.map((cells) => cells.map((cell) => cell.trim()));
  const rows = rest
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
