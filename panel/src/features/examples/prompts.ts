import { t } from '../../languages/words.ts';
/** The prompts of the sample images, which `scripts/draw-examples.ts` draws into files beside this one. */
export const prompts = {
  lighthouse: t('A lighthouse on the cliffs at dusk'),
  fox: t('A red fox in the snow, early morning'),
  city: t('A city by the river on a rainy night'),
  balloon: t('A hot-air balloon over golden hills'),
  cabin: t('A cabin by a mountain lake under the stars'),
  whale: t('A whale beneath a stormy sea'),
} as const;
