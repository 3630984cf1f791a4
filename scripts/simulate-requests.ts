import { randomInt } from 'node:crypto';
import type { JobRequest, ModelId } from '../sdk/src/index.ts';

/** Picks mostly small images, because large ones would keep a machine busy. */
export function pickRequest(number: number): [ModelId, JobRequest] {
  const model = pick(['nb', 'nb2', 'nb2', 'pro'] as const);
  const directive = number % 13 === 7 ? `[[${pick(directives)}]]` : '';
  const prompt = `${pick(prompts)} ${directive}`.trim();
  const plain = { prompt, aspect_ratio: pick(['1:1', '2:3', '3:2', '4:3', '9:16', '16:9', '21:9'] as const) };
  if (model === 'nb') return [model, plain];
  const aspect_ratio = pick([plain.aspect_ratio, plain.aspect_ratio, 'auto', '1:4', '8:1'] as const);
  return [
    model,
    { ...plain, aspect_ratio, resolution: pick(['1K', '1K', '1K', '1K', '1K', '2K', '2K', '4K'] as const) },
  ];
}

/** Directives that the embedded image maker obeys; for other image makers, they are only words. */
const directives = [
  'fail:safety_blocked',
  'fail:no_image',
  'fail:unavailable:1',
  'fail:bad_response:1',
  'delay:3s',
] as const;

const prompts = [
  'a lighthouse at dusk, waves against the rocks',
  'a red bicycle leaning on a white wall in the noon sun',
  'a fox asleep under a birch in the first snow',
  'a night market in the rain, neon in the puddles',
  'a wooden sailing boat on a calm green sea',
  'the skyline of a city at night, seen from across a river',
  'a mountain hut with smoke over the chimney, early morning',
  'a poster that says "GRAND OPENING" in tall letters',
  'a black cat on a window sill, stars behind it',
  'a desert road to the horizon under a huge pink sky',
  'three hot-air balloons over a valley of vineyards',
  'a bowl of ramen with an egg, seen from above',
  'an old tram climbing a steep street between yellow houses',
  'a forest path in autumn fog',
  'a birthday card with the words "Happy 40th, Mira"',
  'a portrait of an elderly fisherman in a blue sweater',
  'a greenhouse full of ferns, light through dusty glass',
  'a village church among fields of sunflowers',
  'an astronaut on a beach, footprints behind her',
  'a thunderstorm over the plains, one bolt of lightning',
  'a minimal logo of a mountain and a moon',
  'a harbour at sunrise with fishing boats and gulls',
  'a glass of iced tea with lemon on a wooden table',
  'a robot that waters tomatoes on a balcony',
  'a stone bridge over a stream in spring',
  'northern lights over a frozen lake',
  'a child with a kite on a windy hill',
  'an abstract pattern of orange and teal circles',
  'a library with ladders and a sleeping dog',
  'a train that leaves a tunnel in a snowy mountain pass',
  'a tropical beach with palms, turquoise water, no people',
  'a sign over a bakery door: "Fresh since 1911"',
  'a wolf howling at a full moon on a ridge',
  'a rooftop garden in a big city, late afternoon',
  'a watercolour of a small island with one tree',
  'a castle in the clouds, seen from a balloon',
  'a street musician with an accordion in the rain',
  'a field of lavender under a storm',
  'an owl on a branch, wide awake, deep blue night',
  'a winter morning in a village, smoke from every chimney',
] as const;

function pick<T>(list: readonly [T, ...T[]]): T {
  return list[randomInt(list.length)] ?? list[0];
}
