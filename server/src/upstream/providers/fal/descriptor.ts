import { longRatios } from '../../catalog/models.ts';
import { type ConnectableDescriptor, hosted, isAt } from '../descriptor.ts';
import { falBills } from './bill.ts';
import { falConnection } from './connection.ts';
import { createFal } from './fal.ts';
import { falCapabilities } from './request.ts';
import { type FalCredentials, FalSettings } from './settings.ts';

export const falDescriptor: ConnectableDescriptor<FalSettings, FalCredentials> = {
  settings: FalSettings,
  create: createFal,
  capabilitiesOf: falCapabilities,
  usual: hosted,
  isOwn: isAt(/^queue\.fal\.run$/),
  connection: falConnection,
  reports: ['unit'],
  bills: falBills,
  environment: {
    variables: [{ name: 'FAL_KEY', whenUnset: 'not set', about: 'Key of fal.', holds: 'secret' }],
    credentials: (env) => ({ key: env.FAL_KEY }),
    isChosen: (env) => Boolean(env.FAL_KEY),
  },
  routes: () => ({
    nb: [{ model: 'fal-ai/nano-banana-2' }],
    nb2: [{ model: 'fal-ai/nano-banana-2' }],
    pro: [
      { model: 'fal-ai/nano-banana-pro' },
      { name: 'fal-long', model: 'fal-ai/nano-banana-2', ratios: [...longRatios] },
    ],
  }),
};
