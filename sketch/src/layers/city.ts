import { mix } from '../colour.ts';
import { isDark, landColour } from '../palettes.ts';
import type { Random } from '../random.ts';
import type { Stage } from '../stage.ts';
import { box, downward, fill, n } from '../svg.ts';

export function drawCity(stage: Stage): string {
  const { width, horizon, rise, palette } = stage;
  const random = stage.random('city');
  let drawn = '';
  for (let row = 0; row < 3; row++) {
    const colour = landColour(palette, 0.16 + row * 0.24);
    let bodies = '';
    let windows = '';
    let faces = '';
    let x = -rise * 0.04;
    while (x < width) {
      const wide = rise * random.between(0.035, 0.085) * (0.85 + row * 0.2);
      const hump = 0.55 + 0.75 * Math.exp(-(((x - stage.focus) / (rise * 0.38)) ** 2));
      const tall = rise * random.between(0.1, 0.3) * hump * (1.15 - row * 0.27);
      bodies += building(random, x, horizon + 2, wide, tall);
      if (row) windows += windowsOf(random, x, horizon, wide, tall, rise * 0.0085);
      faces += box(x + wide * 0.62, horizon - tall, wide * 0.38, tall + 2);
      x += wide * random.between(0.8, row === 2 ? 1.35 : 1.12);
    }
    drawn += downward(`city${row}`, [
      [0, colour],
      [1, mix(colour, palette.sky[3], row === 2 ? 0.12 : 0.4)],
    ]);
    drawn += fill(bodies, `url(#city${row})`) + fill(faces, palette.near, 0.14);
    drawn += isDark(palette) ? fill(windows, palette.accent, 0.9) : fill(windows, palette.light, 0.36);
  }
  return drawn;
}

function building(random: Random, x: number, base: number, wide: number, tall: number): string {
  const body = box(x, base - tall, wide, tall);
  const style = random.whole(0, 6);
  if (style === 0) {
    const mast = tall * random.between(0.15, 0.3);
    return `${body}${box(x + wide * 0.3, base - tall * 1.07, wide * 0.4, tall * 0.08)}${box(x + wide * 0.485, base - tall - mast, wide * 0.04, mast)}`;
  }
  if (style === 1) return `${body}M${n(x)} ${n(base - tall)}l${n(wide)} ${n(-wide * 0.45)}v${n(wide * 0.5)}Z`;
  if (style === 2) {
    return `${body}${box(x + wide * 0.15, base - tall - wide * 0.3, wide * 0.7, wide * 0.32)}${box(x + wide * 0.3, base - tall - wide * 0.55, wide * 0.4, wide * 0.3)}`;
  }
  if (style === 3)
    return `${body}M${n(x)} ${n(base - tall)}l${n(wide / 2)} ${n(-wide * 0.9)}l${n(wide / 2)} ${n(wide * 0.9)}Z`;
  return body;
}

function windowsOf(
  random: Random,
  x: number,
  base: number,
  wide: number,
  tall: number,
  size: number,
): string {
  let d = '';
  const columns = Math.max(2, Math.floor(wide / (size * 1.9)));
  const gap = wide / columns;
  for (let column = 0; column < columns; column++) {
    for (let y = base - tall + size * 1.6; y < base - size * 2.5; y += size * 2.1) {
      if (random.chance(0.4)) d += box(x + gap * (column + 0.25), y, gap * 0.5, size * 1.1);
    }
  }
  return d;
}
