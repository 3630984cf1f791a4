import { drawBirds } from './layers/airborne.ts';
import { drawBank, drawFlowers, drawFrame } from './layers/foreground.ts';
import { aurora, drawMoon, stars } from './layers/sky.ts';
import { castSubjects } from './layers/subjects.ts';
import { drawFog, drawRain, drawSnow } from './layers/weather.ts';
import type { Scene } from './scene/scene.ts';
import type { Stage } from './stage.ts';
import { circle } from './svg.ts';

/** Draws only things that the prompt names and that can be added to a photograph: "add snow", "a moon", "two birds". */
export function drawAdditions(scene: Scene, stage: Stage): string {
  const { features } = scene;
  const cast = castSubjects({ ...scene, features: new Set([...features, 'sea']) }, stage);
  const { light, unit, rise, horizon, palette } = stage;
  return [
    features.has('stars') ? stars(stage) : '',
    features.has('aurora') ? aurora(stage) : '',
    features.has('moon') ? drawMoon(stage, false) : '',
    features.has('sun')
      ? [2.6, 1.9, 1.35, 1]
          .map((size, ring) => circle(light, unit * 0.09 * size, palette.light, ring === 3 ? 1 : 0.16))
          .join('')
      : '',
    features.has('birds') ? drawBirds(stage, true) : '',
    cast.air,
    cast.middle,
    cast.water,
    features.has('forest') ? drawFrame(scene, stage) : '',
    features.has('forest') || features.has('flowers') ? drawBank(scene, stage, true) : '',
    cast.near,
    features.has('flowers') ? drawFlowers(scene, stage) : '',
    features.has('fog') ? drawFog(stage, 'fog', horizon + rise * 0.05, rise * 0.5, 0.7) : '',
    features.has('rain') || features.has('storm') ? drawRain(stage) : '',
    features.has('snow') ? drawSnow(stage) : '',
  ].join('');
}
