import { mix } from '../colour.ts';
import type { Stage } from '../stage.ts';
import { fill, n, pill, stroke } from '../svg.ts';
import type { Paints } from './buildings.ts';

export function balloon({ palette, colour }: Paints): string {
  const main = colour ?? palette.accent;
  const other = mix(palette.light, palette.second, 0.3);
  return [
    stroke('M-14 -32L-7 -12M14 -32L7 -12M0 -28V-12', palette.near, 0.9),
    fill(
      'M0 -104C28 -104 42 -84 40 -64C38 -48 22 -38 14 -30H-14C-22 -38 -38 -48 -40 -64C-42 -84 -28 -104 0 -104Z',
      main,
    ),
    fill(
      'M0 -104C14 -104 21 -84 20 -64C19 -48 11 -38 7 -30H-7C-11 -38 -19 -48 -20 -64C-21 -84 -14 -104 0 -104Z',
      other,
    ),
    fill(
      'M0 -104C5 -104 8 -84 7.500 -64C7 -48 4 -38 2.500 -30H-2.500C-4 -38 -7 -48 -7.500 -64C-8 -84 -5 -104 0 -104Z',
      main,
    ),
    fill('M0 -104C28 -104 42 -84 40 -64C38 -48 22 -38 14 -30H4C22 -48 30 -84 0 -104Z', palette.near, 0.16),
    fill('M-8 -12H8L6.500 0H-6.500Z', mix('#8a5a36', palette.near, 0.3)),
    fill('M-8.500 -13H8.500V-10H-8.500Z', palette.second),
  ].join('');
}

export function rocket({ palette, colour }: Paints): string {
  const body = mix(palette.light, palette.far, 0.1);
  const trim = colour ?? palette.accent;
  const smoke = pill(-16, 26, 32, 10) + pill(-26, 38, 50, 13) + pill(-18, 54, 58, 13) + pill(-36, 70, 62, 16);
  return [
    fill(smoke, palette.light, 0.35),
    fill('M-9 -18C-12 4 -4 18 0 32C4 18 12 4 9 -18Z', palette.second),
    fill('M-5 -18C-6 -2 -2 8 0 16C2 8 6 -2 5 -18Z', palette.light),
    fill('M-14 -48C-28 -38 -28 -24 -26 -12L-12 -24ZM14 -48C28 -38 28 -24 26 -12L12 -24Z', trim),
    fill('M0 -112C16 -94 18 -56 12 -20H-12C-18 -56 -16 -94 0 -112Z', body),
    fill('M0 -112C16 -94 18 -56 12 -20H3C8 -56 8 -90 0 -112Z', palette.near, 0.2),
    fill('M0 -112C7 -104 11.500 -94 13.500 -82H-13.500C-11.500 -94 -7 -104 0 -112Z', trim),
    `<circle cx="0" cy="-64" r="7.500" fill="${trim}"/><circle cx="0" cy="-64" r="5" fill="${mix(palette.sky[1], palette.near, 0.4)}"/>`,
  ].join('');
}

export function drawBirds(stage: Stage, many: boolean): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('birds');
  const centre = [stage.focus, horizon * random.between(0.3, 0.5)] as const;
  let d = '';
  for (let index = 0; index < (many ? 17 : 6); index++) {
    const spread = many ? 1 : 0.55;
    const x = Math.min(
      width * 0.96,
      Math.max(width * 0.04, centre[0] + random.between(-0.36, 0.36) * unit * spread),
    );
    const y = centre[1] + random.between(-0.14, 0.14) * unit * spread;
    const span = unit * random.between(0.011, many ? 0.03 : 0.02);
    const lift = span * random.between(0.3, 0.75);
    d += `M${n(x - span)} ${n(y - lift * 0.6)}Q${n(x - span * 0.45)} ${n(y - lift)} ${n(x)} ${n(y)}Q${n(x + span * 0.45)} ${n(y - lift)} ${n(x + span)} ${n(y - lift * 0.6)}Q${n(x + span * 0.5)} ${n(y - lift * 0.6)} ${n(x)} ${n(y + span * 0.14)}Q${n(x - span * 0.5)} ${n(y - lift * 0.6)} ${n(x - span)} ${n(y - lift * 0.6)}Z`;
  }
  return fill(d, mix(palette.near, palette.sky[2], 0.2));
}
