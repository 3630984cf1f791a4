import { type Colour, mix } from '../colour.ts';
import { isDark, type Palette } from '../palettes.ts';
import { circle, dot, fill, outward, polyline, sideward, stroke } from '../svg.ts';

/** The colours of a building. Buildings are drawn from (0, 0), 100 units tall, and scaled by the caller. */
export interface Paints {
  palette: Palette;
  colour: Colour | undefined;
  /** The direction in which the drawing faces: -1 for left, 1 for right. */
  side: number;
}

export function lighthouse({ palette, colour }: Paints): string {
  const stripe = colour ?? palette.accent;
  const white = mix(palette.light, palette.far, isDark(palette) ? 0.35 : 0.06);
  const tower = 'M-11 2L-7 -76H7L11 2Z';
  const band = (from: number, to: number) => {
    const at = (y: number) => 7 + (4 * (y + 76)) / 78;
    return polyline([
      [-at(from), from],
      [at(from), from],
      [at(to), to],
      [-at(to), to],
    ]);
  };
  const beams = isDark(palette)
    ? sideward('beam', [
        [0, palette.light, 0.6],
        [1, palette.light, 0],
      ]) +
      sideward('beam2', [
        [0, palette.light, 0],
        [1, palette.light, 0.6],
      ]) +
      fill('M4 -86L230 -118V-62L4 -83Z', 'url(#beam)') +
      fill('M-4 -86L-230 -110V-66L-4 -83Z', 'url(#beam2)')
    : '';
  const lamp = outward('lamp', [
    [0, palette.light, 0.95],
    [1, palette.light, 0],
  ]);
  return [
    beams,
    fill(tower, white),
    fill(`${band(-68, -50)}Z${band(-34, -17)}Z`, stripe),
    fill('M2 -76H7L11 2H3Z', palette.near, 0.22),
    fill('M-10 -79H10V-76H-10ZM-6 -90H-5V-79H-6ZM5 -90H6V-79H5Z', palette.near),
    fill('M-5 -90H5V-79H-5Z', isDark(palette) ? palette.light : palette.second),
    fill('M-8 -90Q0 -104 8 -90Z', stripe),
    stroke('M0 -98V-104', palette.near, 1),
    fill('M-3 2V-8Q0 -12 3 -8V2ZM-1.5 -44H1.5V-39H-1.5Z', palette.near),
    lamp,
    isDark(palette) ? circle([0, -85], 26, 'url(#lamp)') : '',
  ].join('');
}

export function house({ palette, colour, side }: Paints): string {
  const wall = colour ?? mix(palette.light, palette.second, 0.25);
  const lit = isDark(palette) ? palette.second : mix(palette.near, palette.far, 0.3);
  const dim = isDark(palette) ? mix(wall, palette.near, 0.55) : wall;
  const roof = isDark(palette) ? mix(palette.accent, palette.near, 0.6) : palette.accent;
  return place2(side, [
    fill('M26 -62H38V-96H26Z', mix(roof, palette.near, 0.5)),
    fill('M-50 2V-50H50V2Z', dim),
    fill('M10 2V-50L30 -84L50 -50V2Z', mix(dim, palette.near, 0.16)),
    fill('M-58 -46L-38 -84H32L8 -46Z', roof),
    fill('M5 -46L30 -88L56 -46H50L30 -78L10 -46Z', mix(roof, palette.near, 0.35)),
    fill('M-40 -34H-28V-18H-40ZM-20 -34H-8V-18H-20ZM25 -60H35V-48H25Z', lit),
    fill('M24 2V-26H37V2Z', mix(palette.near, roof, 0.3)),
  ]);
}

export function castle({ palette, colour }: Paints): string {
  const stone = colour ?? mix(palette.far, palette.near, isDark(palette) ? 0.5 : 0.42);
  const roof = palette.accent;
  const shade = mix(stone, palette.near, 0.35);
  const tower = (x: number, wide: number, tall: number) =>
    fill(`M${x - wide} 2V${-tall}H${x + wide}V2Z`, stone) +
    fill(`M${x + wide * 0.2} 2V${-tall}H${x + wide}V2Z`, shade) +
    fill(`M${x - wide - 2} ${-tall}H${x + wide + 2}L${x} ${-tall - wide * 2.9}Z`, roof) +
    fill(`M${x} ${-tall - wide * 2.9}L${x + wide + 2} ${-tall}H${x + wide * 0.2}Z`, palette.near, 0.25) +
    fill(`M${x - 1.5} ${-tall + 10}h3v7h-3Z`, isDark(palette) ? palette.second : palette.near);
  const battlements =
    'M-44 2V-32H-38V-27H-32V-32H-26V-27H-20V-32H-14V-27H-8V-32H-2V-27H4V-32H10V-27H16V-32H22V-27H28V-32H34V-27H40V-32H46V2Z';
  return [
    tower(-18, 7, 56),
    tower(16, 8, 68),
    tower(0, 9, 44),
    fill(battlements, stone),
    fill(battlements, palette.near, 0.1),
    tower(-44, 8, 42),
    tower(46, 8, 46),
    fill('M-7 2V-12Q0 -22 7 -12V2Z', palette.near),
    fill('M-26 -20h4v6h-4ZM22 -20h4v6h-4Z', isDark(palette) ? palette.second : palette.near),
  ].join('');
}

export function windmill({ palette, colour }: Paints): string {
  const wall = colour ?? mix(palette.light, palette.far, 0.15);
  let sails = '';
  for (let turn = 0; turn < 4; turn++) {
    sails += `<g transform="rotate(${turn * 90 + 22} 0 -74)">${fill('M1 -74V-118H12V-80H1Z', mix(palette.light, palette.far, 0.2))}${stroke('M0 -74V-120M1 -84H12M1 -95H12M1 -106H12', palette.near, 1.4)}</g>`;
  }
  return [
    fill('M-17 2L-10 -66H10L17 2Z', wall),
    fill('M3 2L3 -66H10L17 2Z', palette.near, 0.2),
    fill('M-13 -64Q0 -94 13 -64Z', palette.accent),
    fill('M-4 2V-14H4V2ZM-2.5 -44H2.5V-37H-2.5Z', palette.near),
    sails,
    fill(dot(0, -74, 3), palette.near),
  ].join('');
}

export function tower({ palette, colour }: Paints): string {
  const paint = colour ?? mix(palette.far, palette.near, 0.72);
  const legs = 'M-20 2Q-5 -30 -3 -92H3Q5 -30 20 2H13Q8 -10 0 -10Q-8 -10 -13 2Z';
  return [
    fill(legs, paint),
    fill('M-11 -26H11V-22H-11ZM-7 -50H7V-46.500H-7ZM-4 -93H4V-90H-4Z', mix(paint, palette.near, 0.5)),
    stroke('M0 -92V-108', paint, 1.6),
    stroke('M-12 -20L7 -46M12 -20L-7 -46M-6 -50L4 -70M6 -50L-4 -70', mix(paint, palette.near, 0.4), 0.9),
  ].join('');
}

function place2(side: number, parts: readonly string[]): string {
  return side > 0 ? parts.join('') : `<g transform="scale(-1 1)">${parts.join('')}</g>`;
}
