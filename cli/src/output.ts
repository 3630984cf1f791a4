import { stripVTControlCharacters, styleText } from 'node:util';
import type { Failure } from './failure.ts';

/** Data goes to stdout. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Messages go to stderr. */
export function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

// All but lines, tabs and the colours that are used here.
// biome-ignore lint/suspicious/noControlCharactersInRegex: with it colours begin
const commands = /(?!\r?\n|\t|\u001b\[(?:0|2|22|3\d)m)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Names are what their owners chose: the terminal that shows them does not take their commands, nor runs them backwards. */
export function printable(text: string): string {
  return text.replaceAll(commands, '�');
}

/** With `--json` nothing else goes to stdout. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined));
}

export function printFailure(failure: Failure, { json }: { json: boolean }): void {
  tell(`${styleText('red', 'darkroom:', { stream: process.stderr })} ${failure.message}`);
  for (const detail of failure.details) tell(`  ${detail}`);
  if (failure.next !== undefined) tell(`  Next: ${failure.next}`);
  if (failure.requestId !== undefined) tell(`  Request: ${failure.requestId}`);
  if (json) printJson(failure.json);
}

export interface Column<Row> {
  title: string;
  cell: (row: Row) => string;
  align?: 'right';
  /** Gets what the others leave of the line; for the last column. */
  clip?: true;
}

/** Of a line that goes to no terminal. */
const plainWidth = 120;
const narrowest = 20;

/** Columns two spaces apart; the last one is not padded. */
export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)).replaceAll(/[\r\n\t]+/g, ' '))),
  ];
  if (columns.at(-1)?.clip) clipLast(lines);
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))));
  const [head, ...body] = lines.map((cells) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align))
      .join('  ')
      .trimEnd(),
  );
  print(dim(head ?? ''));
  for (const line of body) print(line);
}

function clipLast(lines: string[][]): void {
  const others = Math.max(...lines.map((cells) => cells.length - 1));
  let room = process.stdout.isTTY ? process.stdout.columns : plainWidth;
  for (let index = 0; index < others; index++)
    room -= Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))) + 2;
  for (const cells of lines) cells.push(clipped(cells.pop() ?? '', Math.max(room, narrowest)));
}

function clipped(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width
    ? text
    : `${characters
        .slice(0, width - 1)
        .join('')
        .trimEnd()}…`;
}

/** A name and a value on each line. */
export function printFacts(facts: readonly (readonly [name: string, value: string])[]): void {
  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts) print(`${dim(name.padEnd(width))}  ${value}`);
}

/** The colour only repeats the word. */
export function paintStatus(status: string): string {
  const colour = statusColours[status];
  return colour === undefined ? status : styleText(colour, status, { stream: process.stdout });
}

function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

const statusColours: Record<string, 'green' | 'red' | 'cyan' | 'yellow'> = {
  done: 'green',
  failed: 'red',
  processing: 'cyan',
  queued: 'yellow',
  cancelling: 'yellow',
  cancelled: 'yellow',
  active: 'green',
  disabled: 'red',
  expired: 'red',
  paused: 'yellow',
  closed: 'green',
  half_open: 'yellow',
  open: 'red',
  rate_limited: 'yellow',
  rejected: 'red',
};

function pad(text: string, width: number, align: 'right' | undefined): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
}

/** Width on the screen, without colour codes. */
function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
