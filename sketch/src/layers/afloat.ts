import { type Colour, mix } from '../colour.ts';
import { isDark } from '../palettes.ts';
import { fill, pill, stroke } from '../svg.ts';
import type { Paints } from './buildings.ts';

/** Draws a sailboat. For all floating things, the waterline is y = 0, and sizes are as for buildings. */
export function sailboat({ palette, colour, side }: Paints): string {
  const hull = colour ?? palette.accent;
  const sail = mix(palette.light, palette.far, isDark(palette) ? 0.3 : 0.05);
  return facing(side, [
    stroke('M2 -12V-100', palette.near, 1.8),
    fill('M5 -98C34 -66 42 -40 44 -20H5Z', sail),
    fill('M5 -98C18 -66 20 -40 18 -20H5Z', palette.near, 0.1),
    fill('M-1 -90C-14 -62 -24 -42 -34 -22H-1Z', mix(sail, palette.second, 0.4)),
    fill('M-46 -14H54C48 -4 40 2 30 4H-30C-38 2 -43 -6 -46 -14Z', hull),
    fill('M-46 -14H54L51 -9H-44Z', mix(hull, palette.light, 0.55)),
    fill('M2 -100L-14 -95L2 -91Z', hull),
    wake(palette.light),
  ]);
}

export function steamer({ palette, colour, side }: Paints): string {
  const hull = colour ?? mix(palette.near, palette.accent, 0.12);
  const deck = mix(palette.light, palette.far, isDark(palette) ? 0.3 : 0.06);
  const lit = isDark(palette) ? palette.second : mix(palette.near, palette.far, 0.35);
  let windows = '';
  for (let index = 0; index < 9; index++)
    windows += `M${-44 + index * 10} -37h4v4h-4ZM${-36 + index * 10} -50h4v4h-4Z`;
  return facing(side, [
    fill('M-26 -92H-14L-12 -56H-26ZM6 -92H18L20 -56H6Z', palette.accent),
    fill('M-26 -92H-14L-13.600 -84H-26ZM6 -92H18L18.400 -84H6Z', palette.near),
    fill('M-40 -56H52V-42H-40Z', deck),
    fill('M-54 -42H66V-26H-54Z', deck),
    fill(windows, lit),
    fill('M-80 -28H96C90 -10 82 2 74 5H-64C-74 -2 -78 -14 -80 -28Z', hull),
    fill('M-80 -28H96L94 -23H-79.500Z', palette.accent),
    fill(
      pill(-18, -112, 26, 10) + pill(-38, -124, 40, 12) + pill(10, -112, 22, 10) + pill(-14, -138, 36, 10),
      deck,
      0.5,
    ),
    wake(palette.light),
  ]);
}

export function whale({ palette, colour, side }: Paints): string {
  const body = colour ?? mix(palette.near, palette.far, 0.38);
  const belly = mix(body, palette.light, 0.55);
  return facing(side, [
    stroke('M52 -62C50 -80 44 -90 34 -94M54 -62C56 -82 64 -92 76 -94M53 -62V-92', palette.light, 3, 0.8),
    fill(
      'M-92 -64C-112 -66 -124 -78 -128 -92C-112 -94 -98 -88 -90 -76C-86 -90 -76 -98 -60 -100C-60 -84 -68 -72 -80 -64C-76 -42 -62 -30 -40 -34C0 -62 60 -72 92 -36C102 -22 104 -8 104 6H-52C-80 -4 -94 -30 -92 -64Z',
      body,
    ),
    fill('M104 6C104 -4 103 -10 101 -16C70 -2 40 -4 16 6Z', belly),
    stroke('M96 -8C76 0 58 0 42 4M99 -2C86 3 76 4 66 6', body, 1.4),
    fill('M30 -6C24 8 8 12 -2 10C4 0 14 -8 26 -12Z', mix(body, palette.near, 0.4)),
    `<circle cx="78" cy="-24" r="3" fill="${palette.near}"/><circle cx="79" cy="-25" r="1" fill="${palette.light}"/>`,
    wake(palette.light, 1.9),
  ]);
}

export function dolphin({ palette, colour, side }: Paints): string {
  const body = colour ?? mix(palette.near, palette.far, 0.4);
  return facing(side, [
    fill(
      'M-62 -6C-52 -52 -8 -88 40 -70C52 -66 60 -58 74 -56C70 -50 60 -50 52 -50C30 -36 -16 -46 -48 -2C-46 8 -52 14 -62 16C-62 8 -66 2 -76 -2C-72 -6 -68 -7 -62 -6Z',
      body,
    ),
    fill('M6 -78C0 -92 -8 -98 -20 -100C-16 -92 -14 -84 -12 -72Z', mix(body, palette.near, 0.3)),
    fill('M52 -50C30 -36 0 -42 -22 -26C0 -50 28 -56 52 -50Z', palette.light, 0.6),
    fill('M22 -44C18 -34 10 -28 2 -28C4 -36 8 -42 12 -46Z', mix(body, palette.near, 0.3)),
    `<circle cx="46" cy="-60" r="2" fill="${palette.near}"/>`,
    wake(palette.light),
  ]);
}

export function fish({ palette, colour, side }: Paints): string {
  const body = colour ?? palette.accent;
  return facing(side, [
    fill(
      'M-34 -44C-18 -74 30 -78 52 -46C30 -16 -18 -20 -34 -44C-44 -32 -54 -26 -64 -26C-58 -38 -58 -50 -64 -62C-54 -62 -44 -56 -34 -44Z',
      body,
    ),
    fill('M-6 -64C2 -80 18 -82 28 -78C26 -70 24 -66 20 -62Z', mix(body, palette.near, 0.25)),
    fill('M18 -66C10 -54 10 -38 18 -26C8 -24 0 -26 -6 -28C-10 -42 -8 -54 0 -67Z', palette.light, 0.5),
    `<circle cx="36" cy="-50" r="4" fill="${palette.light}"/><circle cx="37" cy="-50" r="2" fill="${palette.near}"/>`,
    wake(palette.light, 0.8),
  ]);
}

function wake(paint: Colour, scale = 1): string {
  const lines =
    pill(-62 * scale, 1, 118 * scale, 2.4) +
    pill(-40 * scale, 7, 66 * scale, 2) +
    pill(6 * scale, 12, 44 * scale, 1.8);
  return fill(lines, paint, 0.6);
}

export function facing(side: number, parts: readonly string[]): string {
  return side > 0 ? parts.join('') : `<g transform="scale(-1 1)">${parts.join('')}</g>`;
}
