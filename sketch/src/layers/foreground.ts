import { type Colour, mix, namedColours } from '../colour.ts';
import { landColour } from '../palettes.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { dot, downward, fill, n, type Point, stroke } from '../svg.ts';
import { hasOpenWater } from './ground.ts';
import { below } from './land.ts';
import { conifer } from './trees.ts';

/** Returns a function that gives the height, at any x, of the nearest ground, where the viewer stands. */
export function footing(scene: Scene, { width, height, unit, focus }: Stage): (x: number) => number {
  const open = hasOpenWater(scene) && !scene.features.has('beach');
  const base = height - unit * (open ? 0.075 : 0.12);
  const swell = unit * 0.045;
  return (x) =>
    base -
    swell * Math.cos(((x - focus) / Math.max(unit * 0.62, width * 0.3)) * 1.9) +
    swell * 0.35 * Math.sin((x / unit) * 4.1);
}

/** The nearest bank, with grass and flowers. Omitted if open water reaches us. */
export function drawBank(scene: Scene, stage: Stage, needed: boolean): string {
  const { features } = scene;
  if (
    hasOpenWater(scene) &&
    !needed &&
    !features.has('beach') &&
    !features.has('flowers') &&
    !features.has('forest')
  )
    return '';
  const { width, height, palette } = stage;
  const line = footing(scene, stage);
  const points: Point[] = [];
  for (let step = -1; step <= 31; step++) points.push([(step / 30) * width, line((step / 30) * width)]);
  const sandy = features.has('beach') || features.has('desert');
  const base = sandy
    ? mix(mix('#e7c58f', palette.second, 0.2), palette.near, 0.22)
    : landColour(palette, 0.9);
  const snowy = features.has('snow') ? mix(base, palette.light, 0.72) : base;
  return (
    downward('bank', [
      [0, snowy],
      [1, mix(snowy, palette.near, 0.5)],
    ]) +
    fill(below(points, height), 'url(#bank)') +
    (sandy || features.has('snow') ? '' : grass(stage, line, snowy))
  );
}

function grass(stage: Stage, line: (x: number) => number, colour: Colour): string {
  const { width, unit } = stage;
  const random = stage.random('grass');
  let d = '';
  const count = Math.min(420, Math.round((width / unit) * 190));
  for (let index = 0; index < count; index++) {
    const x = random.between(0, width);
    const y = line(x) + unit * 0.004;
    const tall = unit * random.between(0.012, 0.042);
    const lean = tall * random.between(-0.5, 0.5);
    const half = unit * 0.0018;
    d += `M${n(x - half)} ${n(y)}Q${n(x)} ${n(y - tall * 0.6)} ${n(x + lean)} ${n(y - tall)}Q${n(x + half)} ${n(y - tall * 0.5)} ${n(x + half)} ${n(y)}Z`;
  }
  return fill(d, colour);
}

export function drawFlowers(scene: Scene, stage: Stage): string {
  const { width, height, unit, palette } = stage;
  const random = stage.random('flowers');
  const line = footing(scene, stage);
  const named = scene.colours.map((name) => namedColours[name]).filter((colour) => colour !== undefined);
  const paints: [Colour, ...Colour[]] = [
    named[0] ?? palette.accent,
    named[1] ?? palette.second,
    mix(palette.accent, palette.light, 0.45),
    palette.light,
  ];
  const stem = landColour(palette, 0.96);
  let stems = '';
  let heads = '';
  const count = Math.min(150, Math.round((width / unit) * 62));
  for (let index = 0; index < count; index++) {
    const near = index / count;
    const x = random.between(-0.02, 1.02) * width;
    const y = line(x) + (height - line(x)) * near * 0.9;
    const tall = unit * (0.05 + 0.11 * near) * random.between(0.7, 1.25);
    const tip: Point = [x + tall * random.between(-0.18, 0.18), y - tall];
    stems += `M${n(x)} ${n(y + tall * 0.4)}Q${n(x)} ${n(y - tall * 0.5)} ${n(tip[0])} ${n(tip[1])}`;
    heads += blossom(
      random.whole(0, 2),
      tip,
      unit * (0.008 + 0.014 * near),
      random.pick(paints),
      palette.second,
    );
  }
  return stroke(stems, stem, unit * 0.0028) + heads;
}

function blossom(kind: number, [x, y]: Point, size: number, paint: Colour, heart: Colour): string {
  if (kind === 0) {
    const s = size * 1.25;
    return fill(
      `M${n(x - s)} ${n(y - s * 0.9)}Q${n(x - s * 0.4)} ${n(y - s * 0.2)} ${n(x)} ${n(y - s * 1.1)}Q${n(x + s * 0.4)} ${n(y - s * 0.2)} ${n(x + s)} ${n(y - s * 0.9)}Q${n(x + s * 0.9)} ${n(y + s * 0.9)} ${n(x)} ${n(y + s)}Q${n(x - s * 0.9)} ${n(y + s * 0.9)} ${n(x - s)} ${n(y - s * 0.9)}Z`,
      paint,
    );
  }
  let petals = '';
  const around = kind === 1 ? 5 : 7;
  for (let petal = 0; petal < around; petal++) {
    const angle = (petal / around) * Math.PI * 2 + x;
    petals += dot(
      x + Math.cos(angle) * size * 0.72,
      y + Math.sin(angle) * size * 0.72,
      size * (kind === 1 ? 0.52 : 0.38),
    );
  }
  return fill(petals, paint) + fill(dot(x, y, size * 0.42), heart);
}

export function drawFrame(scene: Scene, stage: Stage): string {
  if (!scene.features.has('forest')) return '';
  const { width, unit, rise, palette } = stage;
  const random = stage.random('frame');
  const line = footing(scene, stage);
  let d = '';
  for (const left of [true, false]) {
    const count = left === stage.focus > width / 2 ? 6 : 3;
    for (let index = 0; index < count; index++) {
      const inset = (index * 0.05 + random.between(-0.02, 0.02)) * Math.max(unit, width * 0.5);
      const x = left ? inset - unit * 0.02 : width - inset + unit * 0.02;
      d += conifer(
        x,
        line(x) + unit * 0.03,
        Math.min(rise, unit * 1.25) * random.between(0.26, 0.5) * (1 - index * 0.06),
      );
    }
  }
  return fill(d, landColour(palette, 0.97));
}
