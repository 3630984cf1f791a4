import { styleText } from 'node:util';
import type { Retry } from '@darkroom/sdk';
import { formatDuration } from './format.ts';
import { printable, tell } from './output.ts';

export interface Progress extends Disposable {
  show(state: string, about?: string): void;
  /** Shows how many of `count` have ended: as a bar on a terminal, in words elsewhere. */
  showCount(ended: number, count: number, about?: string): void;
  note(text: string): void;
  finish(text: string): void;
}

const redrawMs = 100;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** On a terminal, rewrites one line of stderr. Elsewhere, each new state is a line. */
export function startProgress({ quiet }: { quiet: boolean }): Progress {
  if (quiet) return { show() {}, showCount() {}, note() {}, finish() {}, [Symbol.dispose]() {} };
  return process.stderr.isTTY && process.env.TERM !== 'dumb' ? animated() : plain();
}

const barWidth = 20;

/** `█████░░░░░░░░░░░░░░░ `. */
function formatBar(ended: number, count: number): string {
  const full = Math.floor((ended / count) * barWidth);
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} `;
}

export function noteRetry(progress: Progress): (retry: Retry) => void {
  return ({ retry, error }) => {
    if (retry === 1) progress.note(`${error.message.replace(/\.$/, '')}. Trying again.`);
  };
}

function animated(): Progress {
  const startMs = performance.now();
  let line = '';
  let frame = 0;
  const draw = () => {
    if (line === '') return;
    frame = (frame + 1) % frames.length;
    const elapsed = formatElapsed(performance.now() - startMs);
    const text = printable(line.replace('\t', `  ${elapsed}  `)).trimEnd();
    // A line that wraps could not be rewritten in place.
    const room = Math.max(0, (process.stderr.columns || 80) - 3);
    process.stderr.write(`\r\x1b[K${paint('cyan', frames[frame] ?? '')} ${text.slice(0, room)}`);
  };
  const timer = setInterval(draw, redrawMs);
  const clear = () => {
    clearInterval(timer);
    if (line !== '') process.stderr.write('\r\x1b[K');
    line = '';
  };
  const show = (state: string, about = '') => {
    line = `${state}\t${about}`;
    draw();
  };
  return {
    show,
    showCount(ended, count, about) {
      show(formatBar(ended, count) + formatCount(ended, count), about);
    },
    note(text) {
      process.stderr.write(`\r\x1b[K${printable(text)}\n`);
      draw();
    },
    finish(text) {
      clear();
      process.stderr.write(`${paint('green', '✓')} ${printable(text)}\n`);
    },
    [Symbol.dispose]: clear,
  };
}

function plain(): Progress {
  const startMs = performance.now();
  const show = (state: string, about = '') =>
    tell(`${state}  ${formatElapsed(performance.now() - startMs)}  ${about}`.trimEnd());
  return {
    show,
    showCount: (ended, count, about) => show(formatCount(ended, count), about),
    note: tell,
    finish: tell,
    [Symbol.dispose]() {},
  };
}

const formatCount = (ended: number, count: number) => `${ended} of ${count}`;

/** Times below a minute always have one decimal, so that the text keeps its width. */
function formatElapsed(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

function paint(colour: 'cyan' | 'green', text: string): string {
  return styleText(colour, text, { stream: process.stderr });
}
