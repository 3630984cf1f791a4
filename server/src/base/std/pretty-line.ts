import { styleText } from 'node:util';

const marks = { debug: '·', info: ' ', warn: '!', error: '✗' };
const colours = { debug: 'dim', info: 'none', warn: 'yellow', error: 'red' } as const;
/** Texts that need no quotes to be read as one word. */
const plain = /^[\w.:/@%+,?=&-]+$/;
// Control characters, which are removed from clients' texts, because they could move the cursor or change colours.
const control = /[\p{Cc}\p{Cf}]/gu;

/** A log line for people, ` 12:03:07.041 attempt.finished job_id=… ms=212`. Texts of several lines follow below it. */
export function prettyLine(line: string, isColoured: boolean): string {
  const { level, time, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const kind = kindOf(Number(level));
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const words: string[] = [];
  const below: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('\n'))
      below.push(`${name}:`, ...value.split('\n').map((one) => `  ${one.replaceAll(control, '')}`));
    else words.push(`${paint('dim', `${name}=`)}${show(value)}`);
  }
  const head = `${paint(colours[kind], marks[kind])} ${paint('dim', String(time).slice(11, 23))} ${paint(colours[kind], String(event))}`;
  return `${[head, ...words].join(' ')}\n${below.map((one) => `    ${one}\n`).join('')}`;
}

function kindOf(level: number): keyof typeof marks {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
}

function show(value: unknown): string {
  if (typeof value === 'string' && plain.test(value)) return value;
  return JSON.stringify(value).replaceAll(control, '');
}
