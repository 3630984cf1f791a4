import { type Colour, mix } from '../colour.ts';
import type { SubjectKind } from '../scene/scene.ts';
import { dot, fill, stroke } from '../svg.ts';
import { facing } from './afloat.ts';
import type { Paints } from './buildings.ts';

/** Sitting animals that face us: one pear-shaped body with the features of each kind. */
export function drawSitter(kind: SubjectKind, paints: Paints): string | undefined {
  const build = builds[kind];
  if (!build) return undefined;
  const coat = paints.colour ?? build.coat;
  const { palette, side } = paints;
  const body = mix(coat, palette.near, 0.1);
  const pale = mix(build.pale, palette.sky[3], 0.15);
  const dark = mix(coat, palette.near, 0.62);
  return facing(side, [
    tails[build.tail](body, pale, dark),
    build.mane ? fill(maneShape, dark) : '',
    fill('M-25 2C-32 -18 -20 -44 -12 -58H12C20 -44 30 -18 24 2Z', body),
    fill('M-11 -52C-13 -34 -8 -20 0 -14C8 -20 13 -34 11 -52Z', pale),
    fill('M6 -56H12C20 -44 30 -18 24 2H10C20 -14 16 -38 6 -56Z', dark, 0.28),
    stroke('M-6 0V-20M6 0V-20', dark, 1.2, 0.5),
    fill(`${dot(-9, -1, 5)}${dot(9, -1, 5)}`, build.socks ? dark : body),
    ears[build.ears](body, dark, pale),
    build.round
      ? fill(dot(0, -66, 20), body)
      : fill('M-23 -75C-14 -86 14 -86 23 -75C20 -62 8 -50 0 -48C-8 -50 -20 -62 -23 -75Z', body),
    build.round
      ? fill(dot(0, -59, kind === 'cat' ? 6.5 : 9.5), pale)
      : fill(
          'M-23 -75C-14 -70 -6 -66 -3 -58L0 -48C-8 -50 -20 -62 -23 -75ZM23 -75C14 -70 6 -66 3 -58L0 -48C8 -50 20 -62 23 -75Z',
          pale,
        ),
    fill(`${dot(-8.5, -69, 2.3)}${dot(8.5, -69, 2.3)}`, palette.near),
    fill(`${dot(-7.8, -69.8, 0.8)}${dot(9.2, -69.8, 0.8)}`, palette.light),
    fill('M-3.400 -56C-2 -58.500 2 -58.500 3.400 -56C2 -53 -2 -53 -3.400 -56Z', palette.near),
    kind === 'cat'
      ? stroke('M-10 -58L-26 -61M-10 -56L-25 -54M10 -58L26 -61M10 -56L25 -54', palette.near, 0.6, 0.7)
      : '',
  ]);
}

interface Build {
  coat: Colour;
  pale: Colour;
  ears: keyof typeof ears;
  tail: keyof typeof tails;
  round?: boolean;
  mane?: boolean;
  socks?: boolean;
}

const ears = {
  pointed: (body: Colour, dark: Colour, pale: Colour) =>
    fill('M-22 -73L-21 -102L-4 -81ZM22 -73L21 -102L4 -81Z', body) +
    fill('M-19 -80L-18.500 -95L-9 -83ZM19 -80L18.500 -95L9 -83Z', pale, 0.8) +
    fill('M-21.400 -92L-21 -102L-14.500 -94ZM21.400 -92L21 -102L14.500 -94Z', dark),
  round: (body: Colour, _dark: Colour, pale: Colour) =>
    fill(dot(-15, -81, 7.5) + dot(15, -81, 7.5), body) + fill(dot(-15, -81, 4) + dot(15, -81, 4), pale),
  long: (body: Colour, _dark: Colour, pale: Colour) =>
    fill(
      'M-15 -78C-22 -104 -17 -120 -11 -120C-4 -120 -2 -100 -4 -80ZM15 -78C22 -104 19 -119 13 -120C6 -121 2 -100 4 -80Z',
      body,
    ) +
    fill(
      'M-12 -82C-16 -102 -14 -113 -11 -113C-7 -113 -6 -100 -7 -82ZM12 -82C16 -102 15 -112 12.500 -113C8 -114 6 -100 7 -82Z',
      pale,
    ),
  floppy: (_body: Colour, dark: Colour) =>
    fill(
      'M-14 -82C-26 -84 -33 -72 -29 -54C-22 -54 -18 -62 -17 -72ZM14 -82C26 -84 33 -72 29 -54C22 -54 18 -62 17 -72Z',
      dark,
    ),
};

const tails = {
  bushy: (body: Colour, pale: Colour, dark: Colour) =>
    fill(
      'M14 2C40 6 62 -8 60 -30C59 -44 50 -52 46 -62C38 -50 36 -38 36 -30C35 -18 26 -10 14 -10Z',
      mix(body, dark, 0.18),
    ) +
    fill(
      'M60 -32C59 -44 50 -52 46 -62C40 -53 37 -45 36.500 -37C42 -42 44 -34 49 -38C52 -34 55 -38 60 -32Z',
      pale,
    ),
  thin: (body: Colour) => stroke('M18 -2C36 2 50 -6 48 -22C47 -32 40 -36 42 -46', body, 6),
  puff: (_body: Colour, pale: Colour) => fill(dot(25, -8, 8), pale),
  none: () => '',
};

const maneShape =
  'M0 -98C22 -98 34 -84 33 -66C32 -48 18 -36 0 -34C-18 -36 -32 -48 -33 -66C-34 -84 -22 -98 0 -98Z';

const builds: Partial<Record<SubjectKind, Build>> = {
  fox: { coat: '#e2672b', pale: '#fbeedd', ears: 'pointed', tail: 'bushy', socks: true },
  wolf: { coat: '#7d8794', pale: '#e6e6e2', ears: 'pointed', tail: 'bushy' },
  cat: { coat: '#4a4657', pale: '#e9dfd6', ears: 'pointed', tail: 'thin', round: true },
  dog: { coat: '#c88f55', pale: '#f6e7d0', ears: 'floppy', tail: 'thin', round: true },
  bear: { coat: '#7a5138', pale: '#d9b48c', ears: 'round', tail: 'none', round: true },
  rabbit: { coat: '#b9a48f', pale: '#fbf3ea', ears: 'long', tail: 'puff', round: true },
  lion: { coat: '#dba24e', pale: '#f8e6c4', ears: 'round', tail: 'thin', round: true, mane: true },
};
