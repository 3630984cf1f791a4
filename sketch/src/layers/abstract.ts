import { type Colour, mix } from '../colour.ts';
import type { Stage } from '../stage.ts';
import { box, circle, curve, downward, fill, n, outward, type Point, stroke } from '../svg.ts';

export function drawWaves(stage: Stage): string {
  const { width, height, unit, palette, light } = stage;
  const random = stage.random('waves');
  const ramp: Colour[] = [
    ...palette.sky,
    palette.second,
    palette.accent,
    mix(palette.accent, palette.near, 0.45),
    palette.near,
  ];
  const bands = random.whole(8, 11);
  const tilt = random.between(-0.35, 0.35) * height;
  const centre: Point = [light[0], height * 0.3];
  let drawn =
    downward('ground', [
      [0, palette.sky[0]],
      [1, palette.sky[1]],
    ]) + fill(box(0, 0, width, height), 'url(#ground)');
  drawn +=
    outward('halo', [
      [0, palette.light, 0.7],
      [1, palette.light, 0],
    ]) +
    circle(centre, unit * 0.5, 'url(#halo)') +
    circle(centre, unit * 0.16, palette.light);
  const phase = random.between(0, 6);
  for (let band = 0; band < bands; band++) {
    const share = band / (bands - 1);
    const at = share * (ramp.length - 1.001);
    const [from, to] = [ramp[Math.floor(at)] ?? palette.near, ramp[Math.ceil(at)] ?? palette.near];
    const colour = mix(from, to, at % 1);
    const points: Point[] = [];
    for (let step = -1; step <= 17; step++) {
      const along = step / 16;
      const wave =
        Math.sin(along * 5.2 + phase + band * 0.42) * 0.085 +
        Math.sin(along * 11 - phase + band * 0.3) * 0.025;
      points.push([
        along * width,
        height * (0.3 + 0.68 * share) + tilt * (along - 0.5) + wave * Math.min(height, unit * 1.7),
      ]);
    }
    drawn += downward(`band${band}`, [
      [0, mix(colour, palette.light, 0.12)],
      [0.5, colour],
      [1, mix(colour, palette.near, 0.25)],
    ]);
    drawn += fill(
      `${curve(points)}L${n(width * 1.1)} ${n(height + 9)}L${n(-width * 0.1)} ${n(height + 9)}Z`,
      `url(#band${band})`,
    );
    drawn += stroke(curve(points), palette.light, unit * 0.0022, 0.35);
  }
  return drawn;
}

export function drawShapes(stage: Stage): string {
  const { width, height, unit, palette } = stage;
  const random = stage.random('shapes');
  const paper = mix(palette.light, palette.sky[3], 0.35);
  const paints: [Colour, ...Colour[]] = [
    palette.accent,
    palette.second,
    palette.sky[0],
    palette.near,
    palette.sky[2],
    palette.sky[1],
    palette.far,
  ];
  const across = Math.max(2, Math.round(width / (unit / random.whole(3, 4))));
  const cell = width / across;
  const down = Math.ceil(height / cell);
  const top = (height - down * cell) / 2;
  let drawn = fill(box(0, 0, width, height), paper);
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const back = random.chance(0.62) ? random.pick(paints) : paper;
      let front = random.pick(paints);
      if (front === back) front = paper;
      let third = random.pick(paints);
      if (third === front || third === back) third = palette.light;
      const tile =
        fill('M-50.200 -50.200h100.400v100.400h-100.400Z', back) + motif(random.whole(0, 8), front, third);
      drawn += `<g transform="translate(${n((column + 0.5) * cell)} ${n(top + (row + 0.5) * cell)}) rotate(${random.whole(0, 3) * 90}) scale(${Math.round(cell * 10) / 1000})">${tile}</g>`;
    }
  }
  return drawn;
}

function motif(kind: number, front: Colour, third: Colour): string {
  switch (kind) {
    case 0:
      return fill('M-50 50V-50A100 100 0 0 1 50 50Z', front);
    case 1:
      return fill('M-50 50V-50A100 100 0 0 1 50 50Z', front) + fill('M-50 50V0A50 50 0 0 1 0 50Z', third);
    case 2:
      return circle([0, 0], 50, front) + circle([0, 0], 24, third);
    case 3:
      return fill('M-50 -50A100 100 0 0 1 50 50A100 100 0 0 1 -50 -50Z', front);
    case 4:
      return fill('M-50 0A50 50 0 0 1 50 0Z', front) + fill('M-50 50A50 50 0 0 1 50 50Z', third);
    case 5:
      return fill('M-50 -50H50L-50 50Z', front);
    case 6:
      return [42, 30, 18, 6].map((r, index) => circle([0, 0], r, index % 2 ? third : front)).join('');
    case 7:
      return fill('M-50 -50h100v20h-100ZM-50 -10h100v20h-100ZM-50 30h100v20h-100Z', front);
    default:
      return (
        stroke('M-50 -33A83 83 0 0 1 33 50M-50 0A50 50 0 0 1 0 50M-50 -50', front, 16) +
        circle([30, -30], 13, third)
      );
  }
}
