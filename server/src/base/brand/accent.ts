import type { Accent } from './brand.ts';

/** The background of the panel and of pages that the server renders. */
const paper = { light: '#fcfbf9', dark: '#141110' };
const ink = { light: '#211d1a', dark: '#ece6df' };
const onFill = ['#fffefc', '#141110'] as const;
/** Text colours for fills on which neither `onFill` has enough contrast. One of them always has at least 4.58. */
const pure = ['#ffffff', '#000000'] as const;
/** The minimum contrast of text (WCAG 2.2). */
const leastOfText = 4.5;
/** The minimum contrast of a control with its background (WCAG 2.2). */
const leastOfControls = 3;

/** Adapts a colour to a fill for light and one for dark pages, each with text of at least 4.5 contrast. Pure. */
export function accentOf(colour: string): Accent {
  return { light: fillOn('light'), dark: fillOn('dark') };

  function fillOn(scheme: 'light' | 'dark') {
    let fill = colour;
    for (let share = 5; contrast(fill, paper[scheme]) < leastOfControls; share += 5)
      fill = mix(colour, ink[scheme], share / 100);
    const text = bestOn(fill, onFill);
    return { fill, text: contrast(text, fill) >= leastOfText ? text : bestOn(fill, pure) };
  }
}

function bestOn(fill: string, [light, dark]: readonly [string, string]): string {
  return contrast(light, fill) >= contrast(dark, fill) ? light : dark;
}

/** Returns the colour scheme in which this colour is hardly visible, if any. Pure. */
export function unseenOn(colour: readonly number[]): 'light' | 'dark' | null {
  const written = hex(colour.map(Math.round));
  return (['light', 'dark'] as const).find((scheme) => contrast(written, paper[scheme]) < 2) ?? null;
}

/** The contrast by WCAG's definition, 1 to 21. */
function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (higher + 0.05) / (lower + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(one: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(one).map((value, at) => Math.round(value * (1 - share) + (others[at] ?? 0) * share));
  return hex(mixed);
}

function hex(values: readonly number[]): string {
  return `#${values.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
