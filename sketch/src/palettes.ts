import { type Colour, leanTo, lightness, mix, namedColours } from './colour.ts';
import type { Random } from './random.ts';
import type { Scene, Time } from './scene/scene.ts';

export interface Palette {
  /** The colours of the sky, from the zenith down to the horizon. */
  sky: readonly [Colour, Colour, Colour, Colour];
  /** The colour of the sun, the moon, and everything that they light. */
  light: Colour;
  /** The colour of land at the horizon, seen through thick haze. `near` is the colour of land at the viewer's feet. */
  far: Colour;
  near: Colour;
  accent: Colour;
  second: Colour;
}

/** The seed picks one of the suitable palettes. Colours in the prompt tint the image. */
export function choosePalette(scene: Scene, random: Random): Palette {
  const base = random.pick(palettes[moodOf(scene)]);
  const [first, second] = scene.colours.map((name) => namedColours[name]);
  if (!first) return base;
  const hint = second ?? first;
  const [top, middle, low, horizon] = base.sky;
  return {
    sky: [
      leanTo(top, first, 0.75),
      leanTo(middle, first, 0.7),
      leanTo(low, hint, 0.6),
      leanTo(horizon, hint, 0.45),
    ],
    light: leanTo(base.light, hint, 0.25),
    far: leanTo(base.far, first, 0.7),
    near: leanTo(base.near, first, 0.45),
    accent: mix(base.accent, hint, 0.8),
    second: mix(base.second, hint, 0.3),
  };
}

/** The colour of land between the horizon (0) and the viewer (1): distance adds haze. */
export function landColour(palette: Palette, depth: number): Colour {
  return mix(mix(palette.far, palette.sky[3], 0.35 * (1 - depth)), palette.near, depth);
}

export function isDark(palette: Palette): boolean {
  return lightness(palette.sky[1]) < 0.45;
}

type Mood = Time | 'storm' | 'aurora' | 'winter' | 'fog' | 'desert';

function moodOf({ features, time }: Scene): Mood {
  if (features.has('aurora')) return 'aurora';
  if (features.has('storm') || (features.has('rain') && time === 'day')) return 'storm';
  if (time === 'night' || time === 'dusk') return time;
  if (features.has('snow')) return 'winter';
  if (features.has('fog') && time === 'day') return 'fog';
  if (features.has('desert') && time === 'day') return 'desert';
  return time;
}

const tones = (
  sky: Palette['sky'],
  [light, far, near, accent, second]: readonly [Colour, Colour, Colour, Colour, Colour],
): Palette => ({ sky, light, far, near, accent, second });

const palettes: Record<Mood, readonly [Palette, ...Palette[]]> = {
  dawn: [
    tones(
      ['#5b6c9e', '#b08fb4', '#f2a99b', '#fcdcb4'],
      ['#fff3d6', '#b795ae', '#2b2a4c', '#e8604c', '#f6c177'],
    ),
    tones(
      ['#6fa9b8', '#a9d1c7', '#f3dfb8', '#fbe8c6'],
      ['#fff8e0', '#93b8b3', '#17404a', '#e4704e', '#f2b95e'],
    ),
    tones(
      ['#8a86c4', '#c7a6cf', '#f6c0b8', '#fdebd0'],
      ['#fffaf0', '#bda2c6', '#3a2d5c', '#ef6f6c', '#ffd07b'],
    ),
  ],
  day: [
    tones(
      ['#3b8bc2', '#7fbedd', '#c5e4e7', '#f5f1da'],
      ['#fff8dc', '#8fb9c6', '#14484f', '#ee5e3d', '#f7c548'],
    ),
    tones(
      ['#4fa7a9', '#9fd3bf', '#eee5bf', '#f9efd5'],
      ['#fff9e3', '#8cc0aa', '#17443f', '#e2583e', '#f0b63f'],
    ),
    tones(
      ['#2f6fae', '#6ea9d6', '#b8dbe8', '#e9f1e4'],
      ['#fffbe8', '#7fa8c4', '#1c3d57', '#f07b3f', '#ffd460'],
    ),
  ],
  golden: [
    tones(
      ['#d9643a', '#ee9a4d', '#f8c572', '#fde6ae'],
      ['#fff5d0', '#dc9364', '#4a1f2e', '#b8303b', '#f9d77e'],
    ),
    tones(
      ['#4f86a0', '#b9b79c', '#f4c36f', '#fbdf9c'],
      ['#fff3c4', '#c39a6c', '#33302a', '#d1495b', '#edae49'],
    ),
  ],
  dusk: [
    tones(
      ['#2a2350', '#6b3a75', '#d45d79', '#f9a875'],
      ['#ffe0ad', '#8f4f82', '#1b1433', '#ff7f51', '#ffcb77'],
    ),
    tones(
      ['#12394d', '#35707c', '#e58c72', '#fac98f'],
      ['#ffe9bd', '#55808a', '#0d2530', '#f2545b', '#f5c26b'],
    ),
    tones(
      ['#3a1f5d', '#8c2f6b', '#ee5d5a', '#ffb26b'],
      ['#fff0c2', '#a0457a', '#22103d', '#ffd166', '#ff8c61'],
    ),
  ],
  night: [
    tones(
      ['#080b24', '#141c4a', '#27397a', '#5068aa'],
      ['#f8f1d4', '#33498a', '#060817', '#f5b94b', '#ef6f6c'],
    ),
    tones(
      ['#04161f', '#0a2e3b', '#14505a', '#3f8a84'],
      ['#eef7da', '#1f5e64', '#020c12', '#f2c14e', '#e76f51'],
    ),
    tones(
      ['#120a2a', '#2a1850', '#4b2d7d', '#8a5aa8'],
      ['#fdeecf', '#56388a', '#0a0518', '#ffb84d', '#6bd6d0'],
    ),
  ],
  storm: [
    tones(
      ['#1f2b36', '#3b4d59', '#6f8184', '#b3b9a9'],
      ['#f3ecc8', '#6d7d81', '#11181e', '#e4b54a', '#c8553d'],
    ),
    tones(
      ['#251f38', '#473f5e', '#7c7389', '#c2aea6'],
      ['#fff0cc', '#776c85', '#15101f', '#f0a35e', '#d1495b'],
    ),
  ],
  aurora: [
    tones(
      ['#050a1e', '#0a1b3a', '#123f56', '#2f807c'],
      ['#defff2', '#1d4a63', '#030a14', '#58f2b2', '#b46bff'],
    ),
    tones(
      ['#0a0722', '#181446', '#24406e', '#3c8f8f'],
      ['#f0ffe8', '#28497a', '#06061a', '#7cf5a0', '#e86bc8'],
    ),
  ],
  winter: [
    tones(
      ['#7fa3bf', '#b6cddb', '#dfe6e8', '#f7ecdf'],
      ['#fffdf5', '#a9bfcd', '#2c4a60', '#d1495b', '#edae49'],
    ),
    tones(
      ['#8d93b8', '#bfc0d8', '#e8dfe4', '#fbeee4'],
      ['#fffaf4', '#b4b6cf', '#343a5e', '#e4572e', '#f3a712'],
    ),
  ],
  fog: [
    tones(
      ['#a3b2b0', '#bfcac4', '#dbddd2', '#eee8d8'],
      ['#fffaea', '#b3beb9', '#34464a', '#c8553d', '#e0a458'],
    ),
    tones(
      ['#a9a7b8', '#c5c0c9', '#e0d8d6', '#f3e9de'],
      ['#fff8ee', '#b8b2bf', '#3d3a4e', '#c44b5c', '#e2a76f'],
    ),
  ],
  desert: [
    tones(
      ['#2f8194', '#7ab6b0', '#f0cfa0', '#f9e6c6'],
      ['#fff6da', '#e3b084', '#7a3526', '#c8442e', '#f0a04b'],
    ),
    tones(
      ['#f0a868', '#f5c58a', '#fadfb0', '#fdefd2'],
      ['#fffaea', '#e29a6b', '#682a2c', '#b23a48', '#fcb97d'],
    ),
  ],
};
