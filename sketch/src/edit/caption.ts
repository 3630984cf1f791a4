import { leading, letterHeight, lineAt, setLines, widthOf, wordsOf } from '../layers/lettering.ts';
import type { Stage } from '../stage.ts';
import { box, downward, fill, stroke } from '../svg.ts';
import { frameShare } from './edit.ts';

export function drawCaption(text: string, { width, height: whole, unit }: Stage, framed: boolean): string {
  const height = framed ? whole * (1 - frameShare) : whole;
  const room = { width: width - unit * 0.16, height: Math.min(unit, height) * 0.22 };
  const lines = setLines(wordsOf(text), room);
  const widest = Math.max(...lines.map(widthOf), 1);
  const scale = Math.min(
    room.width / widest,
    room.height / (lines.length * leading),
    (unit * 0.075) / letterHeight,
  );
  const tall = lines.length * leading * scale;
  const top = height - unit * 0.05 - tall + (leading - letterHeight) * scale;
  const d = lines
    .map((line, index) => lineAt(line, [width / 2, top + index * leading * scale], scale))
    .join('');
  return (
    downward('foot', [
      [0, '#0b0b12', 0],
      [0.55, '#0b0b12', 0.55],
      [1, '#0b0b12', 0.72],
    ]) +
    fill(box(0, top - unit * 0.14, width, height - top + unit * 0.14), 'url(#foot)') +
    stroke(d, '#fdf8ea', scale * 1.1)
  );
}
