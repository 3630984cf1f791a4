import Type from 'typebox';
import { baseUrlSetting, capabilitySettings } from '../settings.ts';

export const GeminiSettings = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'Such as gemini-3-pro-image' }),
    api: Type.Optional(
      Type.Union([Type.Literal('generateContent'), Type.Literal('interactions')], {
        description: 'The API of Google to use; generateContent by default. Vertex AI has no other',
      }),
    ),
    baseUrl: Type.Optional(baseUrlSetting),
    project: Type.Optional(
      Type.String({ description: 'Vertex AI: the project, if not that of the service account' }),
    ),
    location: Type.Optional(
      Type.String({ pattern: '^[a-z0-9-]+$', description: 'Vertex AI: global unless set' }),
    ),
    ...capabilitySettings,
  },
  { additionalProperties: false },
);
export type GeminiSettings = Type.Static<typeof GeminiSettings>;

/** `serviceAccount` is Vertex AI's parsed JSON file. It replaces the key if the settings have a project or location. */
export interface GeminiCredentials {
  apiKey?: string | undefined;
  serviceAccount?: unknown;
}
