import { mix } from '../colour.ts';
import type { Scene } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { box, dot, downward, fill, n, stroke } from '../svg.ts';

export function drawWeather({ features }: Scene, stage: Stage): string {
  return [
    features.has('rain') || features.has('storm') ? drawRain(stage) : '',
    features.has('snow') ? drawSnow(stage) : '',
  ].join('');
}

export function drawRain(stage: Stage): string {
  const { width, height, unit, palette } = stage;
  const random = stage.random('rain');
  const layers = ['', '', ''];
  for (let index = 0; index < 330; index++) {
    const x = random.between(-0.05, 1.1) * width;
    const y = random.between(-0.05, 1) * height;
    const layer = index % 3;
    const long = unit * (0.02 + layer * 0.016) * random.between(0.7, 1.3);
    layers[layer] += `M${n(x)} ${n(y)}l${n(-long * 0.28)} ${n(long)}`;
  }
  const paint = mix(palette.light, palette.sky[2], 0.25);
  return layers
    .map((d, layer) => stroke(d, paint, unit * (0.0012 + layer * 0.0007), 0.28 + layer * 0.1))
    .join('');
}

export function drawSnow(stage: Stage): string {
  const { width, height, unit, palette } = stage;
  const random = stage.random('snow');
  const flakes = ['', '', ''];
  const sizes = [0.0017, 0.003, 0.0055];
  for (let index = 0; index < 420; index++) {
    const layer = index % 7 === 0 ? 2 : index % 3 === 0 ? 1 : 0;
    flakes[layer] += dot(
      random.between(0, width),
      random.between(0, height),
      unit * (sizes[layer] ?? 0) * random.between(0.7, 1.4),
    );
  }
  const paint = mix(palette.light, '#ffffff', 0.6);
  return flakes.map((d, layer) => fill(d, paint, [0.85, 0.75, 0.6][layer])).join('');
}

export function drawFog(
  { width, palette }: Stage,
  id: string,
  y: number,
  tall: number,
  strength: number,
): string {
  const air = mix(palette.sky[3], palette.light, 0.2);
  return (
    downward(id, [
      [0, air, 0],
      [0.5, air, strength],
      [1, air, 0],
    ]) + fill(box(0, y - tall / 2, width, tall), `url(#${id})`)
  );
}
