import Type from 'typebox';
import { OpenAiSettings } from '../openai/settings.ts';

const { sizes, quality, moderation, inputFidelity, ratios, resolutions, maxInputs } =
  OpenAiSettings.properties;

export const AzureSettings = Type.Object(
  {
    model: Type.String({ pattern: '^[\\w.-]+$', description: 'The name of the deployment' }),
    baseUrl: Type.String({
      pattern: '^https?://',
      description: 'The endpoint of the resource, such as https://NAME.openai.azure.com',
    }),
    apiVersion: Type.Optional(
      Type.String({
        pattern: '^[\\w.-]+$',
        description: 'The version of the API; 2025-04-01-preview unless set',
      }),
    ),
    sizes,
    quality,
    moderation,
    inputFidelity,
    ratios,
    resolutions,
    maxInputs,
  },
  { additionalProperties: false },
);
export type AzureSettings = Type.Static<typeof AzureSettings>;

export interface AzureCredentials {
  apiKey?: string | undefined;
}
