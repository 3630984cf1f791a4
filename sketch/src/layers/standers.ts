import { type Colour, mix } from '../colour.ts';
import type { SubjectKind } from '../scene/scene.ts';
import { dot, fill, stroke } from '../svg.ts';
import { facing } from './afloat.ts';
import type { Paints } from './buildings.ts';

export function drawStander(kind: SubjectKind, paints: Paints): string | undefined {
  const drawn = kinds[kind]?.(paints);
  return drawn && facing(paints.side, drawn);
}

const trunkOf =
  'M-40 -52C-42 -66 -30 -70 -16 -68C0 -66 12 -70 22 -74L34 -50C30 -40 18 -36 4 -37C-10 -38 -22 -36 -34 -40Z';
const backLegs =
  'M-30 -46C-32 -32 -26 -24 -27 0H-21C-21 -22 -20 -28 -16 -40ZM12 -44C12 -26 14 -20 14 0H20C20 -22 22 -30 24 -44Z';
const frontLegs =
  'M-40 -54C-44 -36 -38 -28 -41 -14L-40 0H-34L-33 -16C-32 -26 -26 -32 -20 -42ZM18 -48C20 -30 25 -24 25 0H31C30 -24 31 -36 34 -52Z';

const kinds: Partial<Record<SubjectKind, (paints: Paints) => string[]>> = {
  horse: ({ palette, colour }) => {
    const body = coat(colour ?? '#8a5436', palette.near);
    const dark = mix(body, palette.near, 0.55);
    return [
      fill('M-38 -64C-52 -64 -56 -46 -52 -22C-48 -26 -44 -40 -38 -50Z', dark),
      fill(backLegs, dark),
      fill(frontLegs, body) + fill(trunkOf, body),
      fill(
        'M10 -68C20 -76 26 -92 38 -102L40 -108L45 -102C52 -98 58 -88 62 -80C62 -75 57 -73 53 -76C48 -80 44 -82 42 -82C40 -70 38 -58 33 -48Z',
        body,
      ),
      fill('M4 -68C16 -76 22 -96 38 -105L40 -101C32 -92 30 -76 20 -66Z', dark),
      fill(dot(47, -92, 1.5), palette.near),
    ];
  },
  deer: ({ palette, colour }) => {
    const body = coat(colour ?? '#b06a3b', palette.near);
    const dark = mix(body, palette.near, 0.5);
    return [
      fill(backLegs, dark),
      fill(frontLegs, body) + fill(trunkOf, body),
      fill(dot(-41, -58, 4), palette.light),
      fill(
        'M12 -66C22 -74 26 -86 32 -98L44 -100C50 -98 56 -92 59 -88C58 -84 54 -83 50 -85C46 -86 44 -86 42 -84C40 -70 38 -60 33 -48Z',
        body,
      ),
      fill('M33 -97C28 -104 22 -104 20 -102C23 -97 28 -95 33 -94Z', dark),
      stroke(
        'M38 -99C34 -112 24 -118 22 -134M30 -113C22 -114 16 -120 14 -126M25 -122C30 -126 32 -132 32 -138M42 -100C46 -112 56 -116 58 -132M50 -113C58 -114 64 -118 66 -124M55 -120C50 -126 48 -130 48 -136',
        dark,
        2.4,
      ),
      fill(dot(46, -93, 1.4), palette.near),
    ];
  },
  cow: ({ palette, colour }) => {
    const body = coat(colour ?? '#f1e6d6', palette.near);
    const dark = colour ? mix(body, palette.near, 0.5) : mix('#4b342c', palette.near, 0.2);
    return [
      fill('M-26 -40V0H-19V-36ZM16 -40V0H23V-38Z', mix(body, palette.near, 0.4)),
      fill(
        'M-46 -66C-40 -72 20 -72 30 -70C38 -62 36 -46 30 -38L31 0H24L22 -32C6 -28 -20 -28 -32 -34L-35 0H-42L-42 -36C-48 -46 -50 -58 -46 -66Z',
        body,
      ),
      fill(
        'M-30 -70C-16 -71 -8 -71 -4 -70C-2 -58 -16 -50 -24 -54C-32 -58 -34 -64 -30 -70ZM10 -50C18 -54 26 -48 26 -40C18 -36 8 -40 10 -50Z',
        dark,
      ),
      fill('M26 -72C34 -80 46 -80 54 -70L60 -58C60 -52 50 -50 46 -54C38 -54 30 -56 28 -62Z', body),
      fill('M34 -76C26 -80 22 -78 20 -72C26 -70 30 -71 34 -72Z', dark),
      stroke('M40 -78C40 -84 44 -86 47 -86', palette.near, 2),
      stroke('M-46 -62C-54 -56 -52 -36 -54 -28', dark, 2),
      fill(dot(46, -69, 1.5), palette.near),
    ];
  },
  elephant: ({ palette, colour }) => {
    const body = coat(colour ?? '#8b8f9c', palette.near);
    const dark = mix(body, palette.near, 0.35);
    return [
      fill('M-30 -40V0H-16V-36ZM8 -40V0H22V-38Z', dark),
      fill(
        'M-54 -58C-54 -92 -20 -100 10 -92C26 -104 50 -100 58 -82C64 -66 60 -50 62 -32C63 -20 70 -16 76 -22C80 -18 76 -8 66 -8C54 -8 50 -22 50 -36C48 -44 44 -48 38 -48L36 0H20L18 -34C4 -28 -16 -28 -32 -34L-34 0H-50Z',
        body,
      ),
      fill('M18 -92C4 -88 0 -68 6 -54C12 -44 26 -48 30 -60C34 -74 32 -90 18 -92Z', dark),
      fill('M50 -46C54 -36 64 -34 72 -38C66 -42 60 -46 58 -52Z', palette.light),
      stroke('M-53 -62C-62 -54 -60 -40 -62 -32', dark, 2.4),
      fill(dot(46, -76, 1.9), palette.near),
    ];
  },
  person: ({ palette, colour }) => {
    const coatColour = coat(colour ?? palette.accent, palette.near);
    return [
      fill('M-9 -34L-11 0H-3L-1 -30L3 0H11L9 -34Z', mix(palette.near, palette.far, 0.12)),
      fill('M-12 -76C-22 -72 -22 -44 -20 -38H-10Z', mix(palette.second, palette.near, 0.15)),
      fill('M-13 -74C-10 -80 10 -80 13 -74L15 -32H-14Z', coatColour),
      fill('M2 -79C8 -79 12 -77 13 -74L15 -32H4Z', palette.near, 0.2),
      fill('M10 -74C18 -66 20 -54 24 -46L20 -43C14 -50 10 -58 8 -64Z', mix(coatColour, palette.near, 0.3)),
      stroke('M23 -50L28 2', palette.near, 1.6),
      fill(dot(1, -87, 8.5), mix('#e8b48f', palette.near, 0.12)),
      fill('M-10 -89C-8 -101 8 -101 10 -91L14 -89H-10Z', mix(palette.near, palette.second, 0.25)),
    ];
  },
  owl: ({ palette, colour }) => {
    const body = coat(colour ?? '#7c5a45', palette.near);
    const pale = mix('#f3e2c4', palette.near, 0.06);
    return [
      fill('M-24 -84L-27 -102L-10 -94ZM24 -84L27 -102L10 -94Z', body),
      fill('M0 -98C22 -98 30 -80 29 -50C28 -20 16 0 0 0C-16 0 -28 -20 -29 -50C-30 -80 -22 -98 0 -98Z', body),
      fill('M0 -56C14 -56 18 -40 16 -24C13 -10 6 -4 0 -4C-6 -4 -13 -10 -16 -24C-18 -40 -14 -56 0 -56Z', pale),
      stroke('M-8 -44q4 4 8 0q4 4 8 0M-10 -34q5 4 10 0q5 4 10 0M-8 -24q4 4 8 0q4 4 8 0', body, 1.6),
      fill(
        'M-29 -62C-36 -40 -30 -16 -14 -4C-20 -24 -22 -46 -20 -62ZM29 -62C36 -40 30 -16 14 -4C20 -24 22 -46 20 -62Z',
        mix(body, palette.near, 0.4),
      ),
      fill(dot(-11, -74, 12) + dot(11, -74, 12), pale),
      fill(dot(-11, -74, 7.5) + dot(11, -74, 7.5), palette.second),
      fill(dot(-11, -74, 4.4) + dot(11, -74, 4.4), palette.near),
      fill('M-4 -68L0 -57L4 -68Z', palette.accent),
      stroke('M-9 0v3M-5 0v3M5 0v3M9 0v3', palette.accent, 2),
    ];
  },
};

function coat(colour: Colour, near: Colour): Colour {
  return mix(colour, near, 0.16);
}
