import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, pollSettings } from '../settings.ts';

export const FalSettings = Type.Object(
  {
    model: Type.String({ pattern: '^[\\w.-]+(/[\\w.-]+)+$', description: 'Such as fal-ai/nano-banana-pro' }),
    editModel: Type.Optional(
      Type.String({
        pattern: '^[\\w.-]+(/[\\w.-]+)+$',
        description: 'The model for requests with inputs; model/edit for nano-banana',
      }),
    ),
    inputsBy: Type.Optional(
      Type.Union([Type.Literal('image_urls'), Type.Literal('image_url')], {
        description: 'The field of the inputs: by default a list, or the one that the model uses',
      }),
    ),
    fill: Type.Optional(
      Type.Boolean({
        description:
          'Whether the model edits the part under a mask and needs one: image_url and mask_url; true for names with fill or inpaint',
      }),
    ),
    sizeBy: Type.Optional(
      Type.Union([Type.Literal('aspect_ratio'), Type.Literal('image_size')], {
        description: 'aspect_ratio and resolution, or image_size with the exact pixels',
      }),
    ),
    extra: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Further fields of the model' }),
    ),
    baseUrl: Type.Optional(baseUrlSetting),
    ...pollSettings,
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type FalSettings = Type.Static<typeof FalSettings>;

export interface FalCredentials {
  key?: string | undefined;
}
