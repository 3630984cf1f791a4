import { mix } from '../colour.ts';
import { landColour } from '../palettes.ts';
import type { Random } from '../random.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { curve, downward, fill, type Point, polyline } from '../svg.ts';
import { conifers } from './trees.ts';

/** The land behind the horizon: ranges, hills, distant woods. Water mirrors it. */
export function drawFarLand(scene: Scene, stage: Stage): string {
  const { features } = scene;
  return [
    features.has('mountains') ? mountains(stage) : '',
    features.has('desert') ? mesas(stage) : '',
    features.has('hills') || (features.has('lake') && !features.has('mountains')) ? farHills(stage) : '',
    features.has('forest') && !features.has('desert') ? farForest(stage) : '',
    features.has('sea') && !features.has('mountains') && !features.has('city') ? headland(stage) : '',
  ].join('');
}

function mountains(stage: Stage): string {
  const { width, unit } = stage;
  const random = stage.random('mountains');
  // Tall mountains fill a tall sheet, as on a scroll.
  const rise = stage.height > 2 * width ? stage.rise * 1.35 : stage.rise;
  const hero = stage.focus + random.between(-0.04, 0.04) * width;
  let drawn = '';
  for (const [row, [height, gap]] of ranges.entries()) {
    const depth = 0.12 + row * 0.2;
    const tall = rise * height;
    const peaks = Math.max(2, Math.round(width / (rise * gap)));
    for (let index = 0; index <= peaks; index++) {
      const isHero = row === 1 && index === 0;
      if (row === 1 && index > 0 && random.chance(0.35)) continue;
      const x = isHero ? hero : ((index + random.between(-0.35, 0.35)) / peaks) * width;
      const summit = tall * (isHero ? 1.12 : random.between(0.5, 0.85));
      drawn += mountain(stage, random, { x, height: summit, depth, id: `m${row}${index}`, snow: row < 2 });
    }
    drawn += mist(stage, `mist${row}`, unit * 0.16);
  }
  return drawn;
}

/** The height and spacing of the mountain ranges, the furthest first. */
const ranges: readonly (readonly [height: number, gap: number])[] = [
  [0.3, 0.34],
  [0.36, 0.62],
  [0.17, 0.4],
];

interface Peak {
  x: number;
  height: number;
  depth: number;
  id: string;
  snow: boolean;
}

function mountain(stage: Stage, random: Random, { x, height, depth, id, snow }: Peak): string {
  const { horizon, palette, light } = stage;
  const base = horizon + 2;
  const top: Point = [x, horizon - height];
  const left = slope(random, top, [x - height * random.between(0.95, 1.35), base]);
  const right = slope(random, top, [x + height * random.between(0.95, 1.35), base]);
  const ridge = slope(random, top, [x + height * random.between(-0.15, 0.2), base], 0.09);
  const body = landColour(palette, depth);
  const shadow = mix(body, palette.near, 0.3);
  const shaded = light[0] < x ? right : left;
  const foot = mix(body, palette.sky[3], 0.55);
  const face = (name: string, colour: `#${string}`) =>
    downward(`${id}${name}`, [
      [0, colour],
      [0.45, colour],
      [1, foot],
    ]);
  const cap = (side: readonly Point[], share: number) => capOf(random, side, ridge, share);
  const white = mix(palette.light, body, 0.12);
  const other = shaded === right ? left : right;
  const caps = snow ? fill(cap(other, 0.34), white) + fill(cap(shaded, 0.3), mix(white, shadow, 0.5)) : '';
  return (
    face('a', body) +
    face('b', shadow) +
    fill(`${polyline([...left.toReversed(), ...right.slice(1)])}Z`, `url(#${id}a)`) +
    fill(`${polyline([...ridge.toReversed(), ...shaded.slice(1)])}Z`, `url(#${id}b)`) +
    caps
  );
}

/** The slope from the summit down to the foot, steep first, with bends. */
function slope(random: Random, top: Point, foot: Point, wobble = 0.05): Point[] {
  const points: Point[] = [top];
  const steps = 9;
  const wide = Math.abs(foot[1] - top[1]);
  for (let step = 1; step < steps; step++) {
    const down = step / steps;
    const x = top[0] + (foot[0] - top[0]) * down ** 1.18;
    points.push([
      x + random.between(-wobble, wobble) * wide * 0.6,
      top[1] + (foot[1] - top[1]) * (down + random.between(-0.03, 0.03)),
    ]);
  }
  return [...points, foot];
}

function capOf(random: Random, side: readonly Point[], ridge: readonly Point[], share: number): string {
  const knees = Math.max(2, Math.round(share * side.length));
  const outer = side.slice(0, knees + 1);
  const inner = ridge.slice(0, knees + 1);
  const [from, to] = [outer.at(-1), inner.at(-1)];
  if (!from || !to) return '';
  const teeth: Point[] = [];
  for (let tooth = 1; tooth < 5; tooth++) {
    const along = tooth / 5;
    const drop = (tooth % 2 ? -1 : 0.7) * random.between(0.2, 0.4) * Math.abs(from[0] - to[0]);
    teeth.push([from[0] + (to[0] - from[0]) * along, from[1] + (to[1] - from[1]) * along + drop]);
  }
  return `${polyline([...outer, ...teeth, ...inner.toReversed()])}Z`;
}

function mist({ width, horizon, palette }: Stage, id: string, tall: number): string {
  return (
    downward(id, [
      [0, palette.sky[3], 0],
      [1, palette.sky[3], 0.55],
    ]) +
    fill(`M0 ${Math.round(horizon - tall)}h${Math.round(width)}v${Math.round(tall + 2)}H0Z`, `url(#${id})`)
  );
}

export function rolling(random: Random, width: number, base: number, swing: number, span: number): Point[] {
  const phases = [random.between(0, 7), random.between(0, 7), random.between(0, 7)] as const;
  const points: Point[] = [];
  const steps = Math.max(14, Math.ceil((width / span) * 10));
  for (let step = -1; step <= steps + 1; step++) {
    const x = (step / steps) * width;
    const angle = (x / span) * Math.PI * 2;
    const wave =
      Math.sin(angle + phases[0]) * 0.6 +
      Math.sin(angle * 0.47 + phases[1]) * 0.5 +
      Math.sin(angle * 1.9 + phases[2]) * 0.12;
    points.push([x, base - swing * wave]);
  }
  return points;
}

export function below(points: readonly Point[], bottom: number, curved = true): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return '';
  return `${curved ? curve(points) : polyline(points)}L${Math.round(last[0])} ${Math.round(bottom)}L${Math.round(first[0])} ${Math.round(bottom)}Z`;
}

function farHills(stage: Stage): string {
  const { width, horizon, rise, unit, palette } = stage;
  const random = stage.random('far hills');
  let drawn = '';
  for (let row = 0; row < 3; row++) {
    const colour = landColour(palette, 0.08 + row * 0.13);
    const points = rolling(
      random,
      width,
      horizon - rise * (0.085 - row * 0.028),
      rise * 0.045,
      unit * random.between(0.8, 1.3),
    );
    drawn += downward(`far${row}`, [
      [0, colour],
      [1, mix(colour, palette.sky[3], 0.4)],
    ]);
    drawn += fill(below(points, horizon + 2), `url(#far${row})`);
  }
  return drawn;
}

function farForest(stage: Stage): string {
  const { width, horizon, rise, unit, palette } = stage;
  const random = stage.random('far forest');
  let drawn = '';
  for (let row = 0; row < 2; row++) {
    const tall = rise * (0.055 + row * 0.02);
    const edge = (x: number) =>
      horizon + 3 - rise * (0.02 - row * 0.018) * (1 + Math.sin(x / (unit * 0.16) + row * 2));
    drawn += fill(conifers(random, width, edge, tall, 0.42), landColour(palette, 0.34 + row * 0.14));
  }
  return drawn;
}

function mesas(stage: Stage): string {
  const { width, horizon, rise, palette } = stage;
  const random = stage.random('mesas');
  let drawn = '';
  for (let row = 0; row < 2; row++) {
    let d = '';
    const count = Math.max(2, Math.round((width / rise) * 2.2));
    for (let index = 0; index < count; index++) {
      const x = ((index + random.between(0, 1)) / count) * width;
      const tall = rise * random.between(0.05, 0.17) * (1 - row * 0.35);
      const wide = rise * random.between(0.05, 0.2);
      const step = tall * random.between(0.5, 0.7);
      d += `${polyline([
        [x - wide, horizon + 2],
        [x - wide * 0.72, horizon - step],
        [x - wide * 0.6, horizon - step],
        [x - wide * 0.54, horizon - tall],
        [x + wide * 0.5, horizon - tall],
        [x + wide * 0.58, horizon - step],
        [x + wide * 0.78, horizon - step],
        [x + wide, horizon + 2],
      ])}Z`;
    }
    drawn += fill(d, landColour(palette, 0.14 + row * 0.2));
  }
  return drawn;
}

function headland(stage: Stage): string {
  const { width, horizon, rise, light, palette } = stage;
  const random = stage.random('headland');
  const right = light[0] < width / 2;
  let drawn = '';
  for (let row = 0; row < 2; row++) {
    const reach = width * (0.5 - row * 0.17);
    const points: Point[] = [];
    for (let step = 0; step <= 10; step++) {
      const along = step / 10;
      const tall =
        rise * (0.075 - row * 0.012) * Math.sin(along * Math.PI * 0.62) ** 1.3 * random.between(0.85, 1.1);
      const x = right ? width - reach * (1 - along) : reach * (1 - along);
      points.push([x, horizon + 1 - tall]);
    }
    drawn += fill(below(points, horizon + 1), landColour(palette, 0.1 + row * 0.16));
  }
  return drawn;
}
