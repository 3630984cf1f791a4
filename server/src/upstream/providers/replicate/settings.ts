import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, pollSettings } from '../settings.ts';

export const ReplicateSettings = Type.Object(
  {
    model: Type.String({
      pattern: '^[\\w.-]+/[\\w.-]+(:[0-9a-f]+)?$',
      description: 'owner/name, or owner/name:version',
    }),
    sizeBy: Type.Optional(
      Type.Union([Type.Literal('aspect_ratio'), Type.Literal('width_height')], {
        description: 'aspect_ratio and resolution, or width and height in pixels',
      }),
    ),
    inputField: Type.Optional(
      Type.String({ minLength: 1, description: 'Name of the field of input images' }),
    ),
    inputStyle: Type.Optional(
      Type.Union([Type.Literal('list'), Type.Literal('numbered')], {
        description: 'One list, or field, field_2, field_3 …',
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
export type ReplicateSettings = Type.Static<typeof ReplicateSettings>;

export interface ReplicateCredentials {
  token?: string | undefined;
}
