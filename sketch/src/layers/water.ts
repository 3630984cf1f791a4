import { mix } from '../colour.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { box, curve, downward, fill, pill, stroke } from '../svg.ts';
import { below, rolling } from './land.ts';

export function drawWater(scene: Scene, stage: Stage): string {
  const { width, height, horizon, palette } = stage;
  const [top, middle, low, rim] = palette.sky;
  const deep = mix(mix(top, palette.near, 0.45), middle, 0.2);
  return [
    downward('water', [
      [0, mix(rim, palette.far, 0.22)],
      [0.25, mix(low, palette.far, 0.3)],
      [0.6, mix(middle, palette.near, 0.18)],
      [1, deep],
    ]),
    fill(box(0, horizon, width, height - horizon), 'url(#water)'),
    scene.features.has('storm') ? '' : mirror(stage),
    scene.features.has('storm') ? swell(stage) : '',
    ripples(stage, scene.features.has('storm') ? 1.6 : 1),
    glitter(scene, stage),
  ].join('');
}

function mirror({ width, height, horizon }: Stage): string {
  return `<clipPath id="pool"><path d="${box(0, horizon, width, height - horizon)}"/></clipPath><g clip-path="url(#pool)"><use href="#far-land" opacity=".38" transform="translate(0 ${Math.round(horizon * 1.8 * 10) / 10}) scale(1 -.8)"/></g>`;
}

function swell(stage: Stage): string {
  const { width, height, horizon, unit, palette } = stage;
  const random = stage.random('swell');
  const rows = 6;
  let drawn = '';
  for (let row = 0; row < rows; row++) {
    const near = row / (rows - 1);
    const base = horizon + (height - horizon) * (0.1 + 0.72 * near ** 1.2);
    const points = rolling(random, width, base, unit * (0.008 + 0.03 * near), unit * (0.24 + 0.36 * near));
    const colour = mix(mix(palette.sky[2], palette.far, 0.5), palette.near, 0.2 + 0.62 * near);
    drawn += downward(`swell${row}`, [
      [0, mix(colour, palette.sky[3], 0.16)],
      [0.5, colour],
    ]);
    drawn += fill(below(points, height), `url(#swell${row})`);
    drawn += stroke(curve(points), palette.sky[3], unit * (0.0015 + 0.0025 * near), 0.45);
  }
  return drawn;
}

function ripples(stage: Stage, force: number): string {
  const { width, height, horizon, unit, palette } = stage;
  const random = stage.random('ripples');
  let bright = '';
  let dark = '';
  const count = Math.round(110 * force * Math.sqrt(width / unit));
  for (let index = 0; index < count; index++) {
    const near = random.between(0, 1) ** 1.35;
    const y = horizon + unit * 0.008 + near * (height - horizon);
    const long = unit * (0.018 + near * 0.12) * random.between(0.5, 1.6);
    const line = pill(random.between(-0.05, 1) * width, y, long, unit * (0.0016 + near * 0.005));
    if (index % 2) bright += line;
    else dark += line;
  }
  return fill(bright, palette.sky[3], 0.34) + fill(dark, mix(palette.near, palette.sky[0], 0.4), 0.2);
}

function glitter(scene: Scene, stage: Stage): string {
  if (scene.features.has('storm') || scene.features.has('rain')) return '';
  const { height, horizon, unit, rise, light, palette } = stage;
  const random = stage.random('glitter');
  let d = '';
  const reach = Math.min(height - horizon, rise * 0.55);
  for (let index = 0; index < 64; index++) {
    const near = index / 64;
    const y = horizon + unit * 0.004 + reach * near ** 1.25;
    const spread = unit * (0.06 + 0.12 * near);
    const long = spread * random.between(0.25, 1.05) * (1 - near * 0.45);
    d += pill(
      light[0] - long / 2 + random.between(-0.5, 0.5) * spread * (0.35 + near),
      y,
      long,
      unit * (0.0026 + near * 0.005),
    );
  }
  return fill(d, palette.light, 0.72);
}
