import Type from 'typebox';
import { baseUrlSetting, capabilitySettings, promptNetworksSetting } from '../settings.ts';

export const OpenAiSettings = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: 'The model, such as gpt-image-2, or the name on a compatible server',
    }),
    baseUrl: Type.Optional(baseUrlSetting),
    sizes: Type.Optional(
      Type.Union([Type.Literal('gpt-image-1.5'), Type.Literal('gpt-image-2'), Type.Literal('exact')], {
        description: 'The sizes that the server makes; exact: any. Guessed from the name of the model',
      }),
    ),
    inputsBy: Type.Optional(
      Type.Union([Type.Literal('edits'), Type.Literal('ref_images')], {
        description:
          'How input images are sent: to /images/edits, or as ref_images to /images/generations as in LocalAI',
      }),
    ),
    responseFormat: Type.Optional(
      Type.Union([Type.Literal('b64_json'), Type.Literal('none')], {
        description:
          'Whether response_format is sent. By default not for GPT image models, nor where a server refuses it',
      }),
    ),
    quality: Type.Optional(Type.String()),
    moderation: Type.Optional(Type.String()),
    inputFidelity: Type.Optional(Type.String()),
    promptNetworks: promptNetworksSetting,
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type OpenAiSettings = Type.Static<typeof OpenAiSettings>;

export interface OpenAiCredentials {
  apiKey?: string | undefined;
}
