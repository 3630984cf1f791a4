import { mix } from '../colour.ts';
import { landColour } from '../palettes.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { downward, fill, n, type Point, stroke } from '../svg.ts';
import { below, rolling } from './land.ts';
import { conifers } from './trees.ts';

export function hasOpenWater({ features }: Scene): boolean {
  return features.has('sea') || features.has('lake');
}

export function drawMiddleGround(scene: Scene, stage: Stage): string {
  if (scene.features.has('desert')) return dunes(stage);
  return fields(scene, stage) + (scene.features.has('river') ? river(stage) : '');
}

function fields(scene: Scene, stage: Stage): string {
  const { width, height, horizon, unit, palette } = stage;
  const random = stage.random('fields');
  const rows = 4;
  const depthOf = height - horizon;
  const wooded = scene.features.has('forest');
  let drawn = '';
  for (let row = 0; row < rows; row++) {
    const depth = 0.3 + row * 0.14;
    const base = horizon + depthOf * row * 0.2 - (row ? 0 : unit * 0.012);
    const colour = landColour(palette, depth);
    const points = rolling(
      random,
      width,
      base,
      unit * (0.012 + row * 0.012),
      unit * random.between(1.1, 1.9),
    );
    drawn += downward(`field${row}`, [
      [0, row % 2 ? mix(colour, palette.second, 0.14) : colour],
      [1, mix(colour, palette.near, 0.25)],
    ]);
    drawn += fill(below(points, height), `url(#field${row})`);
    if (wooded && row && row < 3)
      drawn += fill(
        conifers(random, width, edgeOf(points), unit * (0.05 + row * 0.045), 0.4),
        landColour(palette, depth + 0.1),
      );
    if (!wooded && row < 3)
      drawn += copses(stage, `copse${row}`, points, unit * (0.016 + row * 0.012), depth);
  }
  return drawn;
}

function copses(stage: Stage, name: string, points: readonly Point[], size: number, depth: number): string {
  const random = stage.random(name);
  const edge = edgeOf(points);
  let d = '';
  for (let group = 0; group < Math.ceil((stage.width / stage.unit) * 2); group++) {
    const start = random.between(0, stage.width);
    for (let index = 0; index < random.whole(1, 6); index++) {
      const x = start + index * size * random.between(0.7, 1.3);
      const tall = size * random.between(0.8, 1.5);
      const y = edge(x) + size * 0.3;
      d += `M${n(x)} ${n(y)}C${n(x - tall * 0.75)} ${n(y)} ${n(x - tall * 0.6)} ${n(y - tall * 1.6)} ${n(x)} ${n(y - tall * 1.7)}C${n(x + tall * 0.6)} ${n(y - tall * 1.6)} ${n(x + tall * 0.75)} ${n(y)} ${n(x)} ${n(y)}Z`;
    }
  }
  return fill(d, landColour(stage.palette, Math.min(1, depth + 0.2)));
}

function dunes(stage: Stage): string {
  const { width, height, horizon, unit, light, palette } = stage;
  const random = stage.random('dunes');
  const rows = 5;
  let drawn = '';
  for (let row = 0; row < rows; row++) {
    const base = horizon + (height - horizon) * row * 0.19 - (row ? 0 : unit * 0.02);
    const swing = unit * (0.02 + row * 0.02);
    const points = rolling(random, width, base, swing, unit * random.between(0.9, 1.5));
    const lit = mix(landColour(palette, 0.04 + row * 0.1), palette.second, 0.22);
    const dark = landColour(palette, 0.24 + row * 0.13);
    drawn += downward(`dune${row}`, [
      [0, lit],
      [1, mix(lit, dark, 0.6)],
    ]);
    drawn += fill(below(points, height), `url(#dune${row})`);
    drawn += flanks(points, light[0], height, dark, `flank${row}`);
  }
  return drawn;
}

function flanks(
  points: readonly Point[],
  lightX: number,
  height: number,
  dark: `#${string}`,
  id: string,
): string {
  let d = '';
  points.forEach((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before || !after || point[1] > before[1] || point[1] > after[1]) return;
    const away = point[0] > lightX ? 1 : -1;
    const run: Point[] = [point];
    for (let at = index + away; at >= 0 && at < points.length; at += away) {
      const next = points[at];
      const last = run.at(-1);
      if (!next || !last || next[1] < last[1] - 0.5) break;
      run.push(next);
    }
    const end = run.at(-1) ?? point;
    const drop = Math.min(height - point[1], Math.abs(end[0] - point[0]) * 0.85);
    d += below(run, end[1]).replace(/L.*Z$/, '');
    d += `Q${n(point[0] + (end[0] - point[0]) * 0.35)} ${n(end[1] + drop * 0.28)} ${n(point[0] - (end[0] - point[0]) * 0.12)} ${n(point[1] + drop)}Q${n(point[0] + (end[0] - point[0]) * 0.22)} ${n(point[1] + drop * 0.45)} ${n(point[0])} ${n(point[1])}Z`;
  });
  return (
    downward(id, [
      [0, dark, 0.75],
      [1, dark, 0.15],
    ]) + fill(d, `url(#${id})`)
  );
}

function river(stage: Stage): string {
  const { height, horizon, unit, width, palette, light } = stage;
  const random = stage.random('river');
  const side = light[0] < width / 2 ? -1 : 1;
  const [left, right]: [Point[], Point[]] = [[], []];
  for (let step = 0; step <= 16; step++) {
    const near = step / 16;
    const y = horizon + (height - horizon) * (0.03 + near ** 1.3 * 1.02);
    const bend = Math.sin(near * 5.6 + random.between(0, 0.05)) * unit * (0.05 + 0.2 * near) * side;
    const half = unit * (0.006 + 0.2 * near ** 1.9);
    const x = width / 2 + (light[0] - width / 2) * (1 - near * 0.7) + bend;
    left.push([x - half, y]);
    right.push([x + half, y]);
  }
  const banks = [...left, ...right.toReversed()];
  const d = `M${banks.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}Z`;
  return (
    downward('river', [
      [0, mix(palette.sky[3], palette.light, 0.4)],
      [0.4, palette.sky[2]],
      [1, mix(palette.sky[1], palette.near, 0.25)],
    ]) +
    fill(d, 'url(#river)') +
    stroke(`M${left.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}`, palette.light, unit * 0.002, 0.5)
  );
}

function edgeOf(points: readonly Point[]): (x: number) => number {
  return (x) => {
    const index = points.findIndex((point) => point[0] >= x);
    const [to, from] = [points[index], points[index - 1]];
    if (!to || !from) return (points.at(index < 0 ? -1 : 0) ?? [0, 0])[1];
    return from[1] + ((to[1] - from[1]) * (x - from[0])) / (to[0] - from[0]);
  };
}
