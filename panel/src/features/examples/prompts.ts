/** From which `scripts/draw-examples.ts` draws the pictures beside this file, each under its name. */
export const prompts = {
  lighthouse: 'A lighthouse on the cliffs at dusk',
  fox: 'A red fox in the snow, early morning',
  city: 'A city by the river on a rainy night',
  balloon: 'A hot-air balloon over golden hills',
  cabin: 'A cabin by a mountain lake under the stars',
  whale: 'A whale beneath a stormy sea',
} as const;
