import { type ConnectableDescriptor, forAll, hosted } from '../descriptor.ts';
import { createBfl } from './bfl.ts';
import { bflConnection } from './connection.ts';
import { bflCapabilities, familyOf } from './families.ts';
import { isBfl } from './own-address.ts';
import { type BflCredentials, BflSettings } from './settings.ts';

export const bflDescriptor: ConnectableDescriptor<BflSettings, BflCredentials> = {
  settings: BflSettings,
  create: createBfl,
  capabilitiesOf: (settings) => bflCapabilities(settings, familyOf(settings)),
  usual: hosted,
  isOwn: isBfl,
  connection: bflConnection,
  reports: ['credit'],
  environment: {
    variables: [
      { name: 'BFL_API_KEY', whenUnset: 'not set', about: 'Key of Black Forest Labs.', holds: 'secret' },
    ],
    credentials: (env) => ({ apiKey: env.BFL_API_KEY }),
    isChosen: (env) => Boolean(env.BFL_API_KEY),
  },
  // FLUX makes images up to a ratio of 21:9, of at most 4 megapixels, from at most 8 inputs.
  routes: () => forAll({ model: 'flux-2-pro', fit: 'crop', upscale: true }),
};
