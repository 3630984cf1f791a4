import { lightness, mix } from '../colour.ts';
import type { Stage } from '../stage.ts';
import { n, stroke } from '../svg.ts';
import { glyphs } from './glyphs.ts';

/** Sets text like a poster's title: centred capitals, in the number of lines that gives the largest letters. */
export function drawLettering(text: string, stage: Stage): string {
  const { width, height, unit, palette, horizon } = stage;
  const room = { width: width - unit * 0.16, height: Math.min(horizon * 0.44, stage.rise * 0.36) };
  const lines = setLines(wordsOf(text), room);
  const widest = Math.max(...lines.map(widthOf), 1);
  const scale = Math.min(
    room.width / widest,
    room.height / (lines.length * leading),
    (unit * 0.15) / letterHeight,
  );
  const top = Math.max(unit * 0.085, horizon * 0.12);
  const dark = lightness(mix(palette.sky[0], palette.sky[1], 0.4)) < 0.62;
  const ink = dark ? palette.light : palette.near;
  const veil = dark ? palette.near : palette.light;
  const d = lines
    .map((line, index) => lineAt(line, [width / 2, top + index * leading * scale], scale))
    .join('');
  return height > 0 ? stroke(d, veil, scale * 2.1, 0.16) + stroke(d, ink, scale * 1.05) : '';
}

export function lineAt(line: string, [middle, y]: readonly [number, number], scale: number): string {
  let x = middle - (widthOf(line) * scale) / 2;
  let d = '';
  for (const letter of line) {
    const [wide, path] = glyphs[letter] ?? blank;
    d += moved(path, x, y, scale);
    x += (wide + tracking) * scale;
  }
  return d;
}

export function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/ß/g, 'SS')
    .replace(/[’‘`]/g, "'")
    .replace(/[–—]/g, '-')
    .split(/\s+/)
    .filter(Boolean);
}

/** Sets words in at most five lines, so that the letters are as large as possible. */
export function setLines(words: readonly string[], room: { width: number; height: number }): string[] {
  let best: { lines: string[]; scale: number } = { lines: [words.join(' ')], scale: 0 };
  for (let count = 1; count <= Math.min(maxLines, words.length); count++) {
    const lines = fold(words, count);
    const scale = Math.min(
      room.width / Math.max(...lines.map(widthOf)),
      room.height / (lines.length * leading),
    );
    if (scale > best.scale) best = { lines, scale };
  }
  return best.lines;
}

export const leading = 15;
export const letterHeight = 10;
const tracking = 2.3;
const maxLines = 5;
const blank = [4, ''] as const;

export function widthOf(line: string): number {
  let width = -tracking;
  for (const letter of line) width += (glyphs[letter] ?? blank)[0] + tracking;
  return Math.max(width, 1);
}

function fold(words: readonly string[], count: number): string[] {
  const target = widthOf(words.join(' ')) / count;
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line ? `${line} ${word}` : word;
    if (line && lines.length < count - 1 && widthOf(longer) - target > target - widthOf(line)) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Moves and scales a glyph's path. An arc's end point moves and its radii are scaled, but its flags stay. */
function moved(path: string, x: number, y: number, scale: number): string {
  return path.replace(/([MLHVCQA])([^MLHVCQAZ]*)/g, (_, command: string, rest: string) => {
    const numbers = rest.trim().split(/[ ,]+/).map(Number);
    const place = (value: number, index: number): number => {
      if (command === 'H') return n(x + value * scale);
      if (command === 'V') return n(y + value * scale);
      if (command !== 'A') return n((index % 2 ? y : x) + value * scale);
      const at = index % 7;
      if (at < 2) return Math.round(value * scale * 100) / 100;
      return at < 5 ? value : n((at === 5 ? x : y) + value * scale);
    };
    return command + numbers.map(place).join(' ');
  });
}
