import type { ModelDefinition } from './model-definition.ts';
import { allRatios, commonRatios } from './models.ts';

const sizes: Record<(typeof allRatios)[number], [number, number]> = {
  '1:1': [1024, 1024],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
  '1:4': [512, 2048],
  '4:1': [2048, 512],
  '1:8': [384, 3072],
  '8:1': [3072, 384],
};

/** Sizes are from Google's guide, but these tables are authoritative. The environment implies the routes by default. */
export const specifiedModels: readonly ModelDefinition[] = [
  {
    id: 'nb',
    name: 'Fast',
    description: 'The quickest and cheapest: drafts, ideas and many variants, at 1K.',
    modes: ['text', 'url'],
    maxInputs: 14,
    ratios: [...commonRatios],
    auto: false,
    selectable: false,
    resolutions: {
      '1K': {
        price: '0.02',
        sizes: {
          '1:1': [1024, 1024],
          '2:3': [832, 1248],
          '3:2': [1248, 832],
          '3:4': [864, 1184],
          '4:3': [1184, 864],
          '4:5': [896, 1152],
          '5:4': [1152, 896],
          '9:16': [768, 1344],
          '16:9': [1344, 768],
          '21:9': [1536, 672],
        },
      },
    },
  },
  largeModel(
    {
      id: 'nb2',
      name: 'Higher quality',
      description: 'More detail at a moderate price, up to 4K, and in very wide or tall ratios.',
    },
    ['0.04', '0.06', '0.09'],
  ),
  largeModel(
    {
      id: 'pro',
      name: 'Top tier',
      description: 'The best of the three for finished work, text in images and intricate prompts, up to 4K.',
    },
    ['0.08', '0.10', '0.15'],
  ),
];

export const specifiedIds = ['nb', 'nb2', 'pro'] as const;

function largeModel(
  words: Required<Pick<ModelDefinition, 'id' | 'name' | 'description'>>,
  prices: [string, string, string],
): ModelDefinition {
  const sized = (scale: number) =>
    Object.fromEntries(
      Object.entries(sizes).map(([ratio, [width, height]]) => [
        ratio,
        [width * scale, height * scale] as [number, number],
      ]),
    );
  return {
    ...words,
    modes: ['text', 'url'],
    maxInputs: 14,
    ratios: [...allRatios],
    auto: true,
    resolutions: {
      '1K': { price: prices[0], sizes: sized(1) },
      '2K': { price: prices[1], sizes: sized(2) },
      '4K': { price: prices[2], sizes: sized(4) },
    },
  };
}
