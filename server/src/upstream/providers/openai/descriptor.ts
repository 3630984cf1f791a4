import { tokenUnits } from '../../prices/rates.ts';
import { type ConnectableDescriptor, forAll, hosted } from '../descriptor.ts';
import { openAiBills } from './bill.ts';
import { openAiConnection } from './connection.ts';
import { createOpenAi } from './openai.ts';
import { isOpenAi } from './own-address.ts';
import { type OpenAiCredentials, OpenAiSettings } from './settings.ts';
import { openAiCapabilities } from './sizes.ts';

export const openAiDescriptor: ConnectableDescriptor<OpenAiSettings, OpenAiCredentials> = {
  settings: OpenAiSettings,
  create: createOpenAi,
  capabilitiesOf: (settings) => openAiCapabilities(settings),
  usual: hosted,
  isOwn: isOpenAi,
  connection: openAiConnection,
  reports: tokenUnits,
  bills: openAiBills,
  environment: {
    variables: [
      {
        name: 'OPENAI_API_KEY',
        whenUnset: 'not set',
        about: 'Key of OpenAI. It goes to no other address.',
        holds: 'secret',
      },
      {
        name: 'OPENAI_COMPATIBLE_API_KEY',
        whenUnset: 'not set',
        about: 'Key of the server at OPENAI_BASE_URL.',
        holds: 'secret',
      },
      {
        name: 'OPENAI_BASE_URL',
        whenUnset: 'OpenAI',
        about: 'Address of a server with the OpenAI Images API.',
        holds: 'address',
      },
    ],
    credentials: (env) => ({ apiKey: env.OPENAI_API_KEY }),
    isChosen: ({ OPENAI_BASE_URL: address, OPENAI_API_KEY: key }) =>
      Boolean((address && !isOpenAi(address)) || key),
  },
  routes: (address) => forAll(address !== undefined && !isOpenAi(address) ? compatible : own),
};

/** OpenAI's images have a ratio up to 3:1 and at most 8 megapixels. For other requests, Darkroom crops and enlarges. */
const own = { model: 'gpt-image-2', fit: 'crop', upscale: true } as const;

/** Most local servers have one model, ignore its name, and make images as large as their memory allows. */
const compatible = { model: 'stablediffusion', sizes: 'exact', upscale: true, slots: 2 } as const;
