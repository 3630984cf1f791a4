import { choosePalette, type Palette } from './palettes.ts';
import { type Random, randomFrom } from './random.ts';
import type { Scene } from './scene/scene.ts';
import type { Point } from './svg.ts';

/** The sheet of a scene, about a million square units in any shape, so that 1K and 4K look alike. */
export interface Stage {
  width: number;
  height: number;
  /** The short side; the unit of sizes that must fit the width. */
  unit: number;
  /** A length between the short side and the height. The unit of heights, so that tall sheets are filled. */
  rise: number;
  horizon: number;
  /** The centre of the sun or moon, on a line that divides the image into thirds. */
  light: Point;
  /** The x of the subject, near the dividing line on the other side from the light. */
  focus: number;
  palette: Palette;
  /** A random source for each layer, so that a change in one does not affect the others. */
  random(layer: string): Random;
}

export function setStage(scene: Scene, pixels: { width: number; height: number }): Stage {
  const scale = Math.sqrt(area / (pixels.width * pixels.height));
  const width = pixels.width * scale;
  const height = pixels.height * scale;
  const random = (layer: string) => randomFrom(`${scene.seed}/${layer}`);
  const chance = random('stage');
  const unit = Math.min(width, height);
  const lightLeft = chance.chance(0.5);
  const horizon = height * (height > width * 1.6 ? 0.6 : 0.58) + chance.between(-0.03, 0.04) * height;
  const low = scene.time === 'dawn' || scene.time === 'dusk';
  const climb = scene.time === 'golden' ? 0.42 : low ? 0.3 : 0.62;
  const rise = Math.sqrt(unit * height);
  // A title takes the upper sky, which the light avoids.
  const ceiling = scene.lettering ? 0.5 : 1;
  const third = (left: boolean) => width * (left ? chance.between(0.27, 0.37) : chance.between(0.63, 0.73));
  return {
    width,
    height,
    unit,
    rise,
    horizon,
    light: [
      third(lightLeft),
      horizon - Math.min(climb, ceiling * 0.7) * Math.min(horizon, rise) * chance.between(0.85, 1.1),
    ],
    focus: third(!lightLeft),
    palette: choosePalette(scene, random('palette')),
    random,
  };
}

const area = 1_000_000;
