import { mix } from './colour.ts';
import { drawShapes, drawWaves } from './layers/abstract.ts';
import { drawBirds } from './layers/airborne.ts';
import { drawCity } from './layers/city.ts';
import { drawClouds } from './layers/clouds.ts';
import { drawBank, drawFlowers, drawFrame } from './layers/foreground.ts';
import { drawMiddleGround, hasOpenWater } from './layers/ground.ts';
import { drawFarLand } from './layers/land.ts';
import { drawLettering } from './layers/lettering.ts';
import { drawSky } from './layers/sky.ts';
import { castSubjects, needsBank } from './layers/subjects.ts';
import { drawVillage } from './layers/village.ts';
import { drawWater } from './layers/water.ts';
import { drawFog, drawWeather } from './layers/weather.ts';
import type { Scene } from './scene/scene.ts';
import type { Stage } from './stage.ts';
import { box, fill, outward } from './svg.ts';

export function drawScene(scene: Scene, stage: Stage): string {
  const title = scene.lettering ? drawLettering(scene.lettering, stage) : '';
  if (scene.features.has('shapes') && scene.subjects.length === 0)
    return drawShapes(stage) + plate(stage, title) + title;
  if (scene.features.has('waves') && scene.subjects.length === 0) return drawWaves(stage) + title;
  return landscape(scene, stage) + vignette(stage) + title;
}

function landscape(scene: Scene, stage: Stage): string {
  const { features } = scene;
  const { horizon, unit, rise } = stage;
  const wet = hasOpenWater(scene);
  const cast = castSubjects(scene, stage);
  const foggy = features.has('fog');
  const chance = stage.random('details');
  const birds =
    features.has('birds') || (scene.time !== 'night' && !features.has('storm') && chance.chance(0.45));
  return [
    drawSky(scene, stage),
    drawClouds(scene, stage),
    `<g id="far-land">${drawFarLand(scene, stage)}${features.has('city') ? drawCity(stage) : ''}</g>`,
    birds ? drawBirds(stage, features.has('birds')) : '',
    cast.air,
    foggy ? drawFog(stage, 'fog1', horizon - rise * 0.04, rise * 0.22, 0.85) : '',
    wet ? drawWater(scene, stage) : drawMiddleGround(scene, stage),
    features.has('village') ? drawVillage(stage) : '',
    cast.middle,
    foggy ? drawFog(stage, 'fog2', horizon + rise * 0.09, rise * 0.2, 0.75) : '',
    cast.water,
    drawFrame(scene, stage),
    drawBank(scene, stage, needsBank(scene)),
    cast.near,
    features.has('flowers') ? drawFlowers(scene, stage) : '',
    foggy ? drawFog(stage, 'fog3', stage.height - unit * 0.1, unit * 0.24, 0.35) : '',
    drawWeather(scene, stage),
  ].join('');
}

function vignette({ width, height, palette }: Stage): string {
  return (
    outward('corners', [
      [0, palette.near, 0],
      [0.72, palette.near, 0],
      [1, palette.near, 0.3],
    ]).replace('<radialGradient', '<radialGradient r=".75"') + fill(box(0, 0, width, height), 'url(#corners)')
  );
}

function plate({ width, unit, horizon, rise, palette }: Stage, title: string): string {
  if (!title) return '';
  const top = Math.max(unit * 0.085, horizon * 0.12);
  const tall = Math.min(horizon * 0.44, rise * 0.36);
  return fill(box(0, top - unit * 0.06, width, tall + unit * 0.06), mix(palette.sky[0], palette.sky[1], 0.4));
}
