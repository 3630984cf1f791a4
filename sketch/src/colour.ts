/** Colours are `#rrggbb`. They are mixed in OKLab, where an even mix looks even and is never muddy. */
export type Colour = `#${string}`;

export function mix(from: Colour, to: Colour, share: number): Colour {
  const a = toLab(from);
  const b = toLab(to);
  return toHex(lerp(a[0], b[0], share), lerp(a[1], b[1], share), lerp(a[2], b[2], share));
}

/** Takes the hue and part of the chroma of `tint`, and less of its lightness, on which the composition depends. */
export function leanTo(colour: Colour, tint: Colour, share: number): Colour {
  const [light, a, b] = toLab(colour);
  const target = toLab(tint);
  return toHex(
    lerp(light, target[0], share * 0.35),
    lerp(a, target[1] * 0.85, share),
    lerp(b, target[2] * 0.85, share),
  );
}

export function lightness(colour: Colour): number {
  return toLab(colour)[0];
}

export const namedColours: Readonly<Record<string, Colour>> = {
  red: '#d8403a',
  crimson: '#b3202e',
  scarlet: '#e0382c',
  orange: '#ee7f2d',
  amber: '#f2a93b',
  gold: '#e6b032',
  golden: '#e6b032',
  yellow: '#f4cb3c',
  lime: '#a6cf3f',
  green: '#3f9a55',
  emerald: '#1f8f68',
  olive: '#7c8440',
  teal: '#1f8a8a',
  turquoise: '#3dbdb2',
  cyan: '#3fbcd4',
  mint: '#9fdcc0',
  blue: '#2f6fc9',
  navy: '#1f2f63',
  azure: '#4a9fe0',
  indigo: '#3d3a9c',
  violet: '#7b4fc0',
  purple: '#7a3fa0',
  lavender: '#b39ddb',
  lilac: '#c3a5dc',
  magenta: '#c93a8e',
  pink: '#ee8fb0',
  rose: '#e0728a',
  coral: '#f2785c',
  peach: '#f7b58c',
  brown: '#805033',
  beige: '#e0cfae',
  cream: '#f5e8cc',
  white: '#f6f2ea',
  silver: '#b9c0c6',
  gray: '#868c92',
  grey: '#868c92',
  black: '#1c1c22',
};

type Lab = readonly [light: number, a: number, b: number];

function toLab(colour: Colour): Lab {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const [r, g, b] = [channel(1), channel(3), channel(5)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toHex(light: number, a: number, b: number): Colour {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (linear: number) => {
    const value = linear <= 0.0031308 ? linear * 12.92 : 1.055 * Math.max(linear, 0) ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0');
  };
  const red = channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return `#${red}${green}${blue}`;
}

function lerp(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
