import { type ConnectableDescriptor, hosted, isAt } from '../descriptor.ts';
import { replicateBills } from './bill.ts';
import { replicateConnection } from './connection.ts';
import { createReplicate } from './replicate.ts';
import { replicateCapabilities } from './request.ts';
import { type ReplicateCredentials, ReplicateSettings } from './settings.ts';

export const replicateDescriptor: ConnectableDescriptor<ReplicateSettings, ReplicateCredentials> = {
  settings: ReplicateSettings,
  create: createReplicate,
  capabilitiesOf: replicateCapabilities,
  usual: hosted,
  isOwn: isAt(/^api\.replicate\.com$/),
  connection: replicateConnection,
  reports: ['image'],
  bills: replicateBills,
  environment: {
    variables: [
      { name: 'REPLICATE_API_TOKEN', whenUnset: 'not set', about: 'Token of Replicate.', holds: 'secret' },
    ],
    credentials: (env) => ({ token: env.REPLICATE_API_TOKEN }),
    isChosen: (env) => Boolean(env.REPLICATE_API_TOKEN),
  },
  routes: () => ({
    nb: [{ model: 'google/nano-banana-2' }],
    nb2: [{ model: 'google/nano-banana-2', fit: 'crop', upscale: true }],
    pro: [{ model: 'google/nano-banana-pro', fit: 'crop', upscale: true }],
  }),
};
