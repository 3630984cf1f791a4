import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, pollSettings } from '../settings.ts';

export const BflSettings = Type.Object(
  {
    model: Type.String({
      pattern: '^[\\w.-]+$',
      description: 'Such as flux-2-pro, as in the path of the API',
    }),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Further fields of the model' }),
    ),
    baseUrl: Type.Optional(baseUrlSetting),
    ...pollSettings,
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type BflSettings = Type.Static<typeof BflSettings>;

export interface BflCredentials {
  apiKey?: string | undefined;
}
