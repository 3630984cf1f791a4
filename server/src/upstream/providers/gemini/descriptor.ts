import { readFileSync } from 'node:fs';
import { SettingError } from '../../../errors.ts';
import { commonRatios, longRatios } from '../../catalog/models.ts';
import { tokenUnits } from '../../prices/rates.ts';
import { type ConnectableDescriptor, type Environment, hosted, isAt, quietly } from '../descriptor.ts';
import { googleBills } from './bill.ts';
import { geminiCapabilities } from './capabilities.ts';
import { geminiConnection } from './connection.ts';
import { createGemini } from './gemini.ts';
import { type GeminiCredentials, GeminiSettings } from './settings.ts';

export const geminiDescriptor: ConnectableDescriptor<GeminiSettings, GeminiCredentials> = {
  settings: GeminiSettings,
  create: createGemini,
  capabilitiesOf: geminiCapabilities,
  usual: hosted,
  isOwn: isAt(/^(generativelanguage|([a-z0-9-]+-)?aiplatform)\.googleapis\.com$/),
  connection: geminiConnection,
  reports: tokenUnits,
  bills: googleBills,
  environment: {
    variables: [
      { name: 'GEMINI_API_KEY', whenUnset: 'not set', about: 'Key of the Gemini API.', holds: 'secret' },
      {
        name: 'GEMINI_BASE_URL',
        whenUnset: 'Google',
        about: 'Address of the Gemini API.',
        holds: 'address',
      },
      {
        name: 'GOOGLE_APPLICATION_CREDENTIALS',
        whenUnset: 'not set',
        about: 'Service account for Vertex AI.',
        holds: 'path',
      },
    ],
    credentials(env) {
      const { GEMINI_API_KEY: apiKey } = env;
      const serviceAccount = apiKey ? quietly(() => readServiceAccount(env)) : readServiceAccount(env);
      return { apiKey, serviceAccount };
    },
    isChosen: (env) => Boolean(env.GEMINI_API_KEY || env.GOOGLE_APPLICATION_CREDENTIALS),
  },
  routes: () => ({
    nb: [{ model: 'gemini-3.1-flash-lite-image' }],
    nb2: [{ model: 'gemini-nano-banana-2.1' }],
    pro: [
      { model: 'gemini-3-pro-image', ratios: [...commonRatios] },
      { name: 'gemini-long', model: 'gemini-nano-banana-2.1', ratios: [...longRatios] },
    ],
  }),
};

function readServiceAccount({ GOOGLE_APPLICATION_CREDENTIALS: path }: Environment): unknown {
  if (!path) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? 'it is not JSON'
        : String(error instanceof Error ? error.message : error);
    throw new SettingError(`GOOGLE_APPLICATION_CREDENTIALS: ${path} cannot be read: ${why}`);
  }
}
