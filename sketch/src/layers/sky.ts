import { mix } from '../colour.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { box, circle, curve, dot, downward, fill, outward, type Point, polyline, stroke } from '../svg.ts';

export function drawSky(scene: Scene, stage: Stage): string {
  const { features, time } = scene;
  const night = time === 'night' || features.has('aurora');
  const starry = night || features.has('stars');
  const moon = features.has('moon') || (night && !features.has('sun') && !features.has('aurora'));
  const veiled =
    features.has('aurora') || features.has('storm') || (features.has('rain') && !features.has('sun'));
  return [
    air(stage),
    starry ? stars(stage) : '',
    features.has('aurora') ? aurora(stage) : '',
    features.has('rainbow') ? rainbow(stage) : '',
    moon ? drawMoon(stage, /crescent/i.test(scene.prompt)) : veiled ? '' : sun(scene, stage),
  ].join('');
}

function air({ width, height, horizon, palette }: Stage): string {
  const [top, middle, low, rim] = palette.sky;
  const at = horizon / height;
  return (
    downward('air', [
      [0, top],
      [at * 0.45, middle],
      [at * 0.82, low],
      [at, rim],
    ]) + fill(box(0, 0, width, height), 'url(#air)')
  );
}

function sun(scene: Scene, { light, unit, palette }: Stage): string {
  const low = scene.time !== 'day';
  const radius = unit * (low ? 0.105 : 0.07);
  const core = scene.time === 'dusk' ? mix(palette.light, palette.second, 0.35) : palette.light;
  const rings = [2.9, 2.15, 1.5].map((size) => circle(light, radius * size, palette.light, 0.1));
  return (
    glow(light, unit * 0.75, palette.light, low ? 0.62 : 0.5) + rings.join('') + circle(light, radius, core)
  );
}

export function drawMoon({ light, unit, palette }: Stage, crescent: boolean): string {
  const radius = unit * 0.08;
  const shade = mix(palette.light, palette.sky[2], 0.28);
  const [x, y] = light;
  const seas = [
    dot(x - radius * 0.3, y - radius * 0.25, radius * 0.26),
    dot(x + radius * 0.32, y + radius * 0.1, radius * 0.18),
    dot(x - radius * 0.1, y + radius * 0.45, radius * 0.15),
    dot(x + radius * 0.2, y - radius * 0.5, radius * 0.1),
  ].join('');
  const r = Math.round(radius * 10) / 10;
  const disc = crescent
    ? fill(
        `M${x - r * 0.2} ${y - r}a${r} ${r} 0 1 0 ${r * 1.05} ${r * 1.5}a${r * 0.86} ${r * 0.86} 0 1 1 ${-r * 1.05} ${-r * 1.5}Z`,
        palette.light,
      )
    : circle(light, radius, palette.light) + fill(seas, shade, 0.55);
  return (
    glow(light, unit * 0.5, palette.light, 0.42) + circle(light, radius * 1.7, palette.light, 0.07) + disc
  );
}

function glow(centre: Point, radius: number, colour: `#${string}`, strength: number): string {
  const stops = outward('glow', [
    [0, colour, strength],
    [0.25, colour, strength * 0.55],
    [0.6, colour, strength * 0.14],
    [1, colour, 0],
  ]);
  return stops + circle(centre, radius, 'url(#glow)');
}

export function stars(stage: Stage): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('stars');
  const size = Math.max(0.7, unit / 900);
  const sizes = [0.55, 0.85, 1.3].map((scale, rank) => {
    let dots = '';
    const count = Math.round([170, 80, 26][rank] ?? 0);
    for (let index = 0; index < count; index++) {
      const y = horizon * random.between(0, 1) ** 1.5;
      dots += dot(random.between(0, width), y, size * scale * random.between(0.8, 1.4));
    }
    return fill(dots, palette.light, [0.45, 0.7, 0.95][rank]);
  });
  let sparks = '';
  for (let index = 0; index < 5; index++) {
    sparks += spark(
      random.between(0.04, 0.96) * width,
      random.between(0.04, 0.6) * horizon,
      unit * random.between(0.008, 0.014),
    );
  }
  return galaxy(stage) + sizes.join('') + fill(sparks, palette.light);
}

function galaxy(stage: Stage): string {
  const { width, horizon, unit, palette } = stage;
  const random = stage.random('galaxy');
  let dust = '';
  const slope = random.pick([-1, 1]);
  for (let index = 0; index < 150; index++) {
    const along = random.between(0, 1);
    const off = (random.between(-1, 1) + random.between(-1, 1)) * 0.09 * horizon;
    const y = horizon * (0.42 + slope * (along - 0.5) * 0.6) + off;
    dust += dot(along * width, y, unit * random.between(0.0006, 0.0014));
  }
  return fill(dust, palette.sky[3], 0.9);
}

function spark(x: number, y: number, r: number): string {
  const q = r * 0.12;
  return `${polyline([
    [x, y - r],
    [x + q, y - q],
    [x + r, y],
    [x + q, y + q],
    [x, y + r],
    [x - q, y + q],
    [x - r, y],
    [x - q, y - q],
  ])}Z`;
}

/** Northern lights as curtains: slices of one gradient under a wandering line, brightest at the lower edge. */
export function aurora(stage: Stage): string {
  const { width, horizon, palette } = stage;
  const random = stage.random('aurora');
  let drawn = '';
  [palette.second, palette.accent, palette.accent].forEach((colour, layer) => {
    const phase = random.between(0, 6);
    const base = horizon * random.between(0.52, 0.8);
    const hem = (x: number) =>
      base +
      horizon * (0.12 * Math.sin((x / width) * 4 + phase) + 0.05 * Math.sin((x / width) * 11 + phase * 2));
    const slices = 110;
    const paint = `curtain${layer}`;
    drawn += downward(paint, [
      [0, colour, 0],
      [0.55, colour, 0.16],
      [0.93, colour, 0.5],
      [1, colour, 0],
    ]);
    const step = width / slices;
    for (let index = 0; index < slices; index++) {
      const x = index * step;
      const tall = horizon * (0.38 + 0.14 * Math.sin(index * 0.35 + phase) + random.between(-0.06, 0.06));
      const veil = 0.5 + 0.5 * Math.sin(index * 0.21 + phase * 3) * Math.sin(index * 0.05 + phase);
      drawn += fill(box(x, hem(x) - tall, step + 0.2, tall), `url(#${paint})`, 0.35 + 0.6 * veil);
    }
  });
  return drawn;
}

function rainbow({ width, horizon, unit, rise }: Stage): string {
  const colours = ['#e4604e', '#f2994a', '#f6cf57', '#6fbf73', '#4a9fd8', '#7c6bc4'];
  const band = unit * 0.022;
  const radius = Math.min(width * 0.42, rise * 0.5);
  return colours
    .map((colour, index) => {
      const r = radius - index * band;
      const points: Point[] = [];
      for (let turn = 0; turn <= 24; turn++) {
        const angle = Math.PI * (turn / 24);
        points.push([width / 2 - Math.cos(angle) * r, horizon - Math.sin(angle) * r]);
      }
      return stroke(curve(points), colour, band * 1.05, 0.6);
    })
    .join('');
}
