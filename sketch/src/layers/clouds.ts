import { mix } from '../colour.ts';
import { isDark } from '../palettes.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { downward, fill, type Point, pill, polyline, stroke } from '../svg.ts';

export function drawClouds(scene: Scene, stage: Stage): string {
  const { features } = scene;
  if (features.has('storm')) return stormBank(stage) + lightning(stage);
  const cumulus = features.has('clouds') || features.has('rain');
  const calm = scene.time === 'night' ? 2 : 4;
  return (
    streaks(stage, features.has('clouds') ? calm + 2 : calm) +
    (cumulus ? heaps(stage, features.has('rain')) : '')
  );
}

/** Long flat clouds near the horizon: stacked bars with round ends. */
function streaks(stage: Stage, count: number): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('streaks');
  const paint = isDark(palette)
    ? mix(palette.sky[2], palette.sky[3], 0.5)
    : mix(palette.sky[3], palette.light, 0.6);
  let d = '';
  const spread = Math.sqrt(Math.max(width, horizon) / unit);
  for (let index = 0; index < count * spread; index++) {
    const x = random.between(-0.1, 0.9) * width;
    const y = horizon * random.between(0.22, 0.86);
    const long = random.between(0.22, 0.5) * unit;
    const thick = unit * random.between(0.009, 0.014);
    for (let bar = 0; bar < 3; bar++) {
      d += pill(x + random.between(-0.25, 0.3) * long, y + bar * thick, long * random.between(0.4, 1), thick);
    }
  }
  return fill(d, paint, 0.5);
}

/** Heaped clouds: a scalloped crown over a flat base that melts into the air. */
function heaps(stage: Stage, heavy: boolean): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('heaps');
  const crown = heavy ? mix(palette.sky[1], palette.near, 0.18) : mix(palette.light, palette.sky[3], 0.25);
  let drawn = downward('heap', [
    [0, crown, 0.96],
    [0.55, crown, 0.75],
    [1, crown, 0.05],
  ]);
  const count = Math.max(heavy ? 5 : 3, Math.round((width / unit) * (heavy ? 3 : 2)));
  for (let index = 0; index < count; index++) {
    const wide = unit * random.between(0.26, heavy ? 0.6 : 0.46);
    const x = ((index + random.between(0.1, 0.9)) / count) * width - wide / 2;
    const y = horizon * random.between(heavy ? 0.14 : 0.2, heavy ? 0.5 : 0.62);
    drawn += fill(
      heap(x, y, wide, random.whole(4, 6), (low, high) => random.between(low, high)),
      'url(#heap)',
    );
  }
  return drawn;
}

function heap(
  x: number,
  y: number,
  wide: number,
  lobes: number,
  between: (low: number, high: number) => number,
): string {
  let d = `M${Math.round(x)} ${Math.round(y)}`;
  let left = wide;
  for (let lobe = 0; lobe < lobes; lobe++) {
    const share = lobe === lobes - 1 ? left : (wide / lobes) * between(0.75, 1.25);
    const middle = 1 - Math.abs((lobe + 0.5) / lobes - 0.5) * 2;
    const up = lobe < lobes / 2 ? -wide * 0.075 * middle : wide * 0.075 * middle;
    const sink = lobe === lobes - 1 ? 0 : up;
    d += `a${Math.round(share * 0.54)} ${Math.round(share * (0.5 + middle * 0.22))} 0 0 1 ${Math.round(share)} ${Math.round(sink)}`;
    left -= share;
  }
  return `${d}v${Math.round(wide * 0.12)}h${Math.round(-wide)}Z`;
}

function stormBank(stage: Stage): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('storm');
  let drawn = '';
  for (let layer = 0; layer < 4; layer++) {
    const base = horizon * (0.56 - layer * 0.14);
    let d = `M${-unit * 0.2} -10V${Math.round(base)}`;
    let x = -unit * 0.2;
    while (x < width + unit * 0.2) {
      const lobe = unit * random.between(0.1, 0.26);
      d += `a${Math.round(lobe * 0.55)} ${Math.round(lobe * random.between(0.3, 0.5))} 0 0 0 ${Math.round(lobe)} ${Math.round(random.between(-0.1, 0.1) * lobe)}`;
      x += lobe;
    }
    const shade = mix(palette.sky[1], palette.near, 0.12 + layer * 0.17);
    drawn += downward(`bank${layer}`, [
      [0, mix(shade, palette.near, 0.45)],
      [1, mix(shade, palette.sky[2], 0.3)],
    ]);
    drawn += fill(`${d}V-10Z`, `url(#bank${layer})`, 0.92);
  }
  return drawn;
}

function lightning({ random, light, horizon, unit, palette }: Stage): string {
  const chance = random('lightning');
  const bolt = (from: Point, to: number, spread: number): Point[] => {
    const points: Point[] = [from];
    const steps = 9;
    for (let step = 1; step <= steps; step++) {
      const x = (points[step - 1]?.[0] ?? from[0]) + chance.between(-1, 1.1) * spread;
      points.push([x, from[1] + ((to - from[1]) * step) / steps]);
    }
    return points;
  };
  const main = bolt([light[0], horizon * 0.34], horizon * 1.01, unit * 0.035);
  const fork = bolt(main[4] ?? light, horizon * 0.86, unit * 0.045);
  const lines: [Point[], number][] = [
    [main, 1],
    [fork, 0.55],
  ];
  return lines
    .map(([points, weight]) => {
      const d = polyline(points);
      return (
        stroke(d, palette.light, unit * 0.03 * weight, 0.1) +
        stroke(d, palette.light, unit * 0.013 * weight, 0.22) +
        stroke(d, palette.light, unit * 0.0045 * weight)
      );
    })
    .join('');
}
