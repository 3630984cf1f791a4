import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, promptNetworksSetting } from '../settings.ts';

export const Automatic1111Settings = Type.Object(
  {
    baseUrl: baseUrlSetting,
    model: Type.Optional(
      Type.String({ minLength: 1, description: 'The checkpoint; by default the one that is loaded' }),
    ),
    negativePrompt: Type.Optional(Type.String()),
    steps: Type.Optional(Type.Integer({ minimum: 1, maximum: 150 })),
    cfgScale: Type.Optional(Type.Number({ minimum: 0 })),
    sampler: Type.Optional(Type.String()),
    scheduler: Type.Optional(Type.String()),
    denoisingStrength: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'How far an image may move from its input' }),
    ),
    longestSide: Type.Optional(
      Type.Integer({
        minimum: 256,
        maximum: 4096,
        description:
          'Pixels to ask for at most, for checkpoints trained at 512; the route then needs upscale',
      }),
    ),
    promptNetworks: promptNetworksSetting,
    extra: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Further fields of the request' }),
    ),
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type Automatic1111Settings = Type.Static<typeof Automatic1111Settings>;
