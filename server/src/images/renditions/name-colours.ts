/** Most languages have a word for each of these colours. */
export const colours = [
  ...(['black', 'white', 'grey', 'red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink'] as const),
  'brown',
] as const;
export type Colour = (typeof colours)[number];

export const maxColours = 3;
const opaqueEnough = 128;
/** The least share of the image. A colour that covers less is a detail. */
const minShare = 0.08;

export function isColour(value: unknown): value is Colour {
  return colours.some((colour) => colour === value);
}

/** Most frequent first; none for a transparent image. */
export function nameColours(rgba: Uint8Array): Colour[] {
  const counts = new Map<Colour, number>();
  for (let at = 0; at + 3 < rgba.length; at += 4) {
    if ((rgba[at + 3] ?? 0) < opaqueEnough) continue;
    const colour = nameOf((rgba[at] ?? 0) / 255, (rgba[at + 1] ?? 0) / 255, (rgba[at + 2] ?? 0) / 255);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([, one], [, other]) => other - one);
  const least = (rgba.length / 4) * minShare;
  return frequent
    .filter(([, count], index) => index === 0 || count >= least)
    .slice(0, maxColours)
    .map(([colour]) => colour);
}

/** The limits were set by eye. Chroma decides what is grey, because HSL's saturation is high near black and white. */
function nameOf(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue);
  const chroma = most - Math.min(red, green, blue);
  const lightness = most - chroma / 2;
  if (lightness < 0.12) return 'black';
  if (chroma < 0.12) return lightness > 0.86 ? 'white' : lightness < 0.2 ? 'black' : 'grey';
  if (lightness > 0.93) return 'white';
  return nameOfHue(hueOf(red, green, blue, chroma), chroma, lightness);
}

/** Degrees. */
function hueOf(red: number, green: number, blue: number, chroma: number): number {
  const most = Math.max(red, green, blue);
  if (most === red) return (((green - blue) / chroma) * 60 + 360) % 360;
  return most === green ? ((blue - red) / chroma) * 60 + 120 : ((red - green) / chroma) * 60 + 240;
}

function nameOfHue(hue: number, chroma: number, lightness: number): Colour {
  if (hue < 14 || hue >= 345) return lightness > 0.68 ? 'pink' : 'red';
  if (hue < 45) return lightness < 0.42 || (chroma < 0.35 && lightness < 0.62) ? 'brown' : 'orange';
  if (hue < 68) return lightness < 0.3 ? 'brown' : 'yellow';
  if (hue < 165) return 'green';
  if (hue < 255) return 'blue';
  if (hue < 290) return 'purple';
  return lightness > 0.55 || hue >= 325 ? 'pink' : 'purple';
}
