import type { Colour } from '../colour.ts';
import { mix } from '../colour.ts';
import type { Random } from '../random.ts';
import { curve, dot, fill, n, type Point, polyline, stroke } from '../svg.ts';

/** A row of conifers as one path. They stand on the line `edge`, and their distance is `gap` times their height. */
export function conifers(
  random: Random,
  width: number,
  edge: (x: number) => number,
  tall: number,
  gap: number,
): string {
  let d = '';
  for (let x = -tall * 0.3; x < width + tall * 0.3; x += tall * gap * random.between(0.55, 1.2)) {
    d += conifer(x, edge(x), tall * random.between(0.6, 1.2));
  }
  let ground = `M${n(-10)} ${n(edge(0) + tall)}`;
  for (let step = 0; step <= 40; step++)
    ground += `L${n((step / 40) * width)} ${n(edge((step / 40) * width) - 1)}`;
  return `${d}${ground}L${n(width + 10)} ${n(edge(width) + tall)}Z`;
}

export function conifer(x: number, y: number, tall: number): string {
  const tiers = 4;
  const right: Point[] = [];
  for (let tier = 1; tier <= tiers; tier++) {
    const down = y - tall + (tall * 0.92 * tier) / tiers;
    const reach = tall * 0.21 * (0.25 + (0.75 * tier) / tiers);
    right.push([reach, down], [reach * 0.52, down - tall * 0.025]);
  }
  const side = (sign: number): Point[] => right.map(([dx, py]) => [x + sign * dx, py]);
  const trunk = tall * 0.02;
  return `${polyline([
    [x, y - tall],
    ...side(1),
    [x + trunk, y - tall * 0.08],
    [x + trunk, y + 2],
    [x - trunk, y + 2],
    [x - trunk, y - tall * 0.08],
    ...side(-1).toReversed(),
  ])}Z`;
}

/** A round tree in two tones, lit from `side` (-1 left, 1 right). */
export function leafTree(
  random: Random,
  [x, y]: Point,
  tall: number,
  colours: { leaf: Colour; trunk: Colour },
  side: number,
): string {
  let crown = '';
  let shine = '';
  for (let index = 0; index < 26; index++) {
    const angle = random.between(0, Math.PI * 2);
    const away = Math.sqrt(random.between(0, 1)) * tall * 0.27;
    const cx = x + Math.cos(angle) * away * 1.15;
    const cy = y - tall * 0.66 + Math.sin(angle) * away * 0.95;
    const r = tall * random.between(0.07, 0.12);
    crown += dot(cx, cy, r);
    if (index % 2) shine += dot(cx + side * r * 0.3, cy - r * 0.3, r * 0.42);
  }
  crown += dot(x, y - tall * 0.66, tall * 0.22);
  const trunk = [
    stroke(`M${n(x)} ${n(y)}L${n(x)} ${n(y - tall * 0.6)}`, colours.trunk, tall * 0.045),
    stroke(
      `M${n(x)} ${n(y - tall * 0.3)}L${n(x + tall * 0.12)} ${n(y - tall * 0.5)}`,
      colours.trunk,
      tall * 0.022,
    ),
    stroke(
      `M${n(x)} ${n(y - tall * 0.36)}L${n(x - tall * 0.1)} ${n(y - tall * 0.54)}`,
      colours.trunk,
      tall * 0.02,
    ),
  ];
  return trunk.join('') + fill(crown, colours.leaf) + fill(shine, mix(colours.leaf, '#fff4d0', 0.3), 0.26);
}

export function palm(random: Random, [x, y]: Point, tall: number, colour: Colour, lean: number): string {
  const top: Point = [x + lean * tall * 0.25, y - tall];
  const trunk = stroke(curve([[x, y], [x + lean * tall * 0.05, y - tall * 0.4], top]), colour, tall * 0.035);
  let leaves = '';
  for (let index = 0; index < 9; index++) {
    const angle = Math.PI * (1.04 + (0.92 * index) / 8) + random.between(-0.08, 0.08);
    const long = tall * random.between(0.32, 0.42);
    const tip: Point = [
      top[0] + Math.cos(angle) * long,
      top[1] + Math.sin(angle) * long * 0.55 + long * 0.35,
    ];
    const knee: Point = [
      top[0] + Math.cos(angle) * long * 0.55,
      top[1] + Math.sin(angle) * long * 0.62 - long * 0.1,
    ];
    leaves += `M${n(top[0])} ${n(top[1])}Q${n(knee[0])} ${n(knee[1] - tall * 0.05)} ${n(tip[0])} ${n(tip[1])}Q${n(knee[0])} ${n(knee[1] + tall * 0.045)} ${n(top[0])} ${n(top[1])}Z`;
  }
  return (
    trunk +
    fill(leaves, colour) +
    fill(
      dot(top[0] - tall * 0.02, top[1] + tall * 0.03, tall * 0.025) +
        dot(top[0] + tall * 0.025, top[1] + tall * 0.025, tall * 0.022),
      colour,
    )
  );
}

export function cactus([x, y]: Point, tall: number, colour: Colour, shine: Colour): string {
  const arm = (side: number, from: number, to: number) =>
    `M${n(x)} ${n(y - tall * from)}h${n(side * tall * 0.1)}q${n(side * tall * 0.1)} 0 ${n(side * tall * 0.1)} ${n(-tall * 0.1)}V${n(y - tall * to)}`;
  const body = `M${n(x)} ${n(y)}V${n(y - tall)}${arm(-1, 0.35, 0.75)}`;
  return (
    stroke(body, colour, tall * 0.13) +
    stroke(arm(1, 0.48, 0.84), colour, tall * 0.1) +
    stroke(`M${n(x + tall * 0.025)} ${n(y - tall * 0.06)}V${n(y - tall * 0.96)}`, shine, tall * 0.012, 0.5)
  );
}
