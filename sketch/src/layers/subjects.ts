import { type Colour, namedColours } from '../colour.ts';
import { landColour } from '../palettes.ts';
import type { Scene, Subject, SubjectKind } from '../scene/scene.ts';
import type { Stage } from '../stage.ts';
import { fill, n, type Point, place } from '../svg.ts';
import { dolphin, fish, sailboat, steamer, whale } from './afloat.ts';
import { balloon, rocket } from './airborne.ts';
import { castle, house, lighthouse, type Paints, tower, windmill } from './buildings.ts';
import { footing } from './foreground.ts';
import { hasOpenWater } from './ground.ts';
import { drawSitter } from './sitters.ts';
import { drawStander } from './standers.ts';
import { cactus, leafTree, palm } from './trees.ts';

export interface Cast {
  air: string;
  water: string;
  middle: string;
  near: string;
}

export function castSubjects(scene: Scene, stage: Stage): Cast {
  const cast: Cast = { air: '', water: '', middle: '', near: '' };
  let seat = 0;
  for (const subject of scene.subjects) {
    const berth = berths[subject.kind] === 'water' && !hasOpenWater(scene) ? 'middle' : berths[subject.kind];
    const copies = grove.has(subject.kind)
      ? Math.max(subject.count, Math.round(stage.width / stage.unit / 1.2))
      : subject.count;
    for (let copy = 0; copy < copies; copy++) {
      cast[berth] += put(subject, { berth, seat, copy }, scene, stage);
      seat += 1;
    }
  }
  return cast;
}

/** Whether a subject needs firm ground in front. */
export function needsBank(scene: Scene): boolean {
  return scene.subjects.some(({ kind }) => berths[kind] === 'near');
}

type Berth = keyof Cast;

const berths: Record<SubjectKind, Berth> = {
  fox: 'near',
  cat: 'near',
  dog: 'near',
  wolf: 'near',
  bear: 'near',
  rabbit: 'near',
  lion: 'near',
  owl: 'near',
  horse: 'near',
  deer: 'near',
  cow: 'near',
  elephant: 'near',
  person: 'near',
  whale: 'water',
  dolphin: 'water',
  fish: 'water',
  boat: 'water',
  ship: 'water',
  lighthouse: 'middle',
  tower: 'middle',
  castle: 'middle',
  windmill: 'middle',
  house: 'middle',
  tree: 'near',
  palm: 'near',
  cactus: 'near',
  balloon: 'air',
  rocket: 'air',
};

/** Subjects that grow in groups, which are repeated along a wide sheet. */
const grove: ReadonlySet<SubjectKind> = new Set(['palm', 'cactus', 'tree']);

/** Heights relative to the short side, for the first subject of its kind. */
const sizes: Partial<Record<SubjectKind, number>> = {
  whale: 0.3,
  dolphin: 0.2,
  fish: 0.2,
  boat: 0.27,
  ship: 0.24,
  lighthouse: 0.42,
  tower: 0.52,
  castle: 0.4,
  windmill: 0.32,
  house: 0.17,
  elephant: 0.36,
  horse: 0.33,
  deer: 0.3,
  cow: 0.28,
  person: 0.2,
  rabbit: 0.2,
  owl: 0.24,
  tree: 0.55,
  palm: 0.6,
  cactus: 0.3,
  balloon: 0.28,
  rocket: 0.32,
};

/** Horizontal offsets of subjects from the focus, in the order in which they are placed. */
const steps = [0, -0.36, 0.3, -0.62, 0.56, -0.18, 0.16, -0.85, 0.8, -0.5, 0.44];

interface Seat {
  berth: Berth;
  /** The place on stage, different for each subject so that none overlap. */
  seat: number;
  copy: number;
}

function put(subject: Subject, { berth, seat, copy }: Seat, scene: Scene, stage: Stage): string {
  const { unit, width, light, palette } = stage;
  const random = stage.random(`${subject.kind}${seat}`);
  const side = light[0] > stage.focus ? 1 : -1;
  const swing = grove.has(subject.kind) ? width * 0.75 : Math.min(width * 0.55, unit * 1.35);
  const step = (steps[seat % steps.length] ?? 0) * (side > 0 ? -1 : 1);
  const margin = Math.min(unit * 0.16, width * 0.2);
  const x = Math.min(width - margin, Math.max(margin, stage.focus + step * swing));
  const shrink = copy ? random.between(0.55, 0.8) : 1;
  const size = unit * (sizes[subject.kind] ?? 0.29) * shrink;
  const colour: Colour | undefined = subject.colour ? namedColours[subject.colour] : undefined;
  const paints: Paints = { palette, colour, side: seat % 2 ? -side : side };
  const at = spotOf(berth, x, size, seat, scene, stage);
  if (berth === 'near') return nearSubject(subject, at, size, paints, stage, `${seat}`);
  const drawn = place(drawings[subject.kind]?.(paints) ?? '', at, size / 100);
  return berth === 'middle' ? knoll(at, size, stage, hasOpenWater(scene)) + drawn : drawn;
}

function spotOf(berth: Berth, x: number, size: number, seat: number, scene: Scene, stage: Stage): Point {
  const { horizon, height, unit, rise } = stage;
  const depth = height - horizon;
  const random = stage.random(`spot${berth}${seat}`);
  switch (berth) {
    case 'air':
      return [
        x,
        horizon * 0.62 - (seat ? random.between(-0.2, 0.42) * Math.min(horizon, rise) * 0.6 : 0) + size * 0.3,
      ];
    case 'water':
      return [x, horizon + Math.min(depth * 0.42, rise * 0.2) * (seat ? random.between(0.35, 1.3) : 1)];
    case 'middle':
      return [x, horizon + Math.min(depth * 0.2, rise * 0.09) - (hasOpenWater(scene) ? unit * 0.03 : 0)];
    case 'near':
      return [x, footing(scene, stage)(x) + unit * 0.012];
  }
}

const drawings: Partial<Record<SubjectKind, (paints: Paints) => string>> = {
  boat: sailboat,
  ship: steamer,
  whale,
  dolphin,
  fish,
  lighthouse,
  tower,
  castle,
  windmill,
  house,
  balloon,
  rocket,
};

function nearSubject(
  { kind }: Subject,
  [x, y]: Point,
  size: number,
  paints: Paints,
  stage: Stage,
  seat: string,
): string {
  const { palette } = paints;
  const random = stage.random(`${kind}/${seat}`);
  const leaf = paints.colour ?? landColour(palette, 0.78);
  if (kind === 'tree')
    return leafTree(random, [x, y], size, { leaf, trunk: landColour(palette, 0.95) }, paints.side);
  if (kind === 'palm')
    return (
      palm(random, [x, y], size, landColour(palette, 0.95), paints.side) +
      palm(random, [x + size * 0.16, y], size * 0.72, landColour(palette, 0.95), -paints.side)
    );
  if (kind === 'cactus')
    return cactus([x, y], size, paints.colour ?? landColour(palette, 0.92), palette.second);
  const shade = `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(size * 0.42)}" ry="${n(size * 0.035)}" fill="${palette.near}" fill-opacity=".35"/>`;
  return shade + place(drawSitter(kind, paints) ?? drawStander(kind, paints) ?? '', [x, y], size / 100);
}

/** A rock in the water or a hillock on land, for a building to stand on. */
function knoll([x, y]: Point, size: number, { palette, unit }: Stage, wet: boolean): string {
  const half = size * (wet ? 0.62 : 0.95);
  const sink = wet ? unit * 0.045 : unit * 0.09;
  const rock = landColour(palette, wet ? 0.78 : 0.5);
  const top = `M${n(x - half)} ${n(y + sink)}C${n(x - half * 0.7)} ${n(y + sink * 0.2)} ${n(x - half * 0.45)} ${n(y - 1)} ${n(x - half * 0.2)} ${n(y - 1)}H${n(x + half * 0.25)}C${n(x + half * 0.55)} ${n(y)} ${n(x + half * 0.65)} ${n(y + sink * 0.5)} ${n(x + half * 1.05)} ${n(y + sink)}Z`;
  const face = `M${n(x + half * 0.1)} ${n(y - 1)}H${n(x + half * 0.25)}C${n(x + half * 0.55)} ${n(y)} ${n(x + half * 0.65)} ${n(y + sink * 0.5)} ${n(x + half * 1.05)} ${n(y + sink)}H${n(x + half * 0.3)}L${n(x + half * 0.2)} ${n(y + sink * 0.4)}Z`;
  return fill(top, rock) + fill(face, palette.near, 0.3);
}
