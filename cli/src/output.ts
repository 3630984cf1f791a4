import { styleText } from 'node:util';
import type { Failure } from './failure.ts';

export function print(text: string): void {
  write(process.stdout.isTTY ? printable(text) : text);
}

/** Prints a line for people on stdout, even if stdout is not a terminal. */
export function printLine(...parts: readonly Text[]): void {
  write(parts.map((part) => painted(printable(textOf(part)), part)).join(''));
}

export function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Characters that a terminal may take for a command, or that reverse the direction of text. */
const commands = /(?!\r?\n|\t)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replaceAll(commands, '�');
}

export function printJson(value: unknown): void {
  write(jsonOf(value, process.stdout.isTTY ? 2 : undefined));
}

export function printJsonLine(value: unknown): void {
  write(jsonOf(value));
}

/** Escapes characters that a terminal could take for a command. Programs still read the same value. */
function jsonOf(value: unknown, indent?: number): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replaceAll(commands, escaped);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Colour = 'green' | 'red' | 'cyan' | 'yellow';

/** A text, perhaps with a colour, which is added after terminal commands are removed from the text. */
export type Text = string | { text: string; colour: Colour };

function textOf(part: Text): string {
  return typeof part === 'string' ? part : part.text;
}

function painted(shown: string, part: Text | undefined): string {
  return part === undefined || typeof part === 'string'
    ? shown
    : styleText(part.colour, shown, { stream: process.stdout });
}

export function printFailure(failure: Failure, { json }: { json: boolean }): void {
  const who = styleText('red', 'darkroom:', { stream: process.stderr });
  process.stderr.write(`${who} ${printable(failure.message)}\n`);
  for (const detail of failure.details) tell(`  ${detail}`);
  if (failure.next !== undefined) tell(`  Next: ${failure.next}`);
  if (failure.requestId !== undefined) tell(`  Request: ${failure.requestId}`);
  if (json) printJson(failure.json);
}

export interface Column<Row> {
  title: string;
  cell: (row: Row) => Text;
  align?: 'right';
  /** Cuts the text of the last column to the remaining width of the line. */
  clip?: true;
}

/** The line width if the output is not a terminal. */
const plainWidth = 120;
const narrowest = 20;

/** Formats columns two spaces apart; the last one is not padded. */
export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const lines = [columns.map(({ title }) => title), ...cells.map((line) => line.map(oneLine))];
  if (columns.at(-1)?.clip) clipLast(lines);
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))));
  const padded = lines.map((line) =>
    line.map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align)),
  );
  const [head, ...body] = padded;
  write(dim((head ?? []).join('  ').trimEnd()));
  for (const [row, line] of body.entries())
    write(
      line
        .map((text, index) => painted(text, cells[row]?.[index]))
        .join('  ')
        .trimEnd(),
    );
}

function oneLine(cell: Text): string {
  return printable(textOf(cell)).replaceAll(/[\r\n\t]+/g, ' ');
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

export type Fact = readonly [name: string, value: Text];

export function printFacts(facts: readonly Fact[]): void {
  const width = Math.max(...facts.map(([name]) => name.length));
  for (const [name, value] of facts)
    write(`${dim(printable(name).padEnd(width))}  ${painted(printable(textOf(value)), value)}`);
}

/** Colours a status; the colour only repeats what the word says. */
export function paintStatus(status: string): Text {
  const colour = statusColours[status];
  return colour === undefined ? status : { text: status, colour };
}

function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

const statusColours: Record<string, Colour> = {
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

function widthOf(text: string): number {
  return [...text].length;
}
