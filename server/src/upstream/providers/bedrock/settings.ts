import Type from 'typebox';
import type { AwsSettings } from '../../../base/aws/aws-settings.ts';
import { baseUrlSetting, capabilitySettings } from '../settings.ts';

export const BedrockSettings = Type.Object(
  {
    model: Type.String({
      pattern: '^[\\w.:/-]+$',
      description: 'Such as stability.stable-image-ultra-v1:1; also the id or ARN of an inference profile',
    }),
    region: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'us-west-2 unless set' })),
    strength: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'How far models of Stability AI may depart from an input; 0.75 unless set',
      }),
    ),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Further fields of the model' }),
    ),
    baseUrl: Type.Optional(baseUrlSetting),
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type BedrockSettings = Type.Static<typeof BedrockSettings>;

export interface BedrockCredentials {
  aws?: AwsSettings | undefined;
  region?: string | undefined;
}
