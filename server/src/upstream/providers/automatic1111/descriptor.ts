import type { ServerLogin } from '../base-url.ts';
import { atHome, type ConnectableDescriptor, forAll } from '../descriptor.ts';
import { automatic1111Capabilities, createAutomatic1111 } from './automatic1111.ts';
import { automatic1111Connection } from './connection.ts';
import { Automatic1111Settings } from './settings.ts';

export const automatic1111Descriptor: ConnectableDescriptor<Automatic1111Settings, ServerLogin> = {
  settings: Automatic1111Settings,
  create: createAutomatic1111,
  capabilitiesOf: automatic1111Capabilities,
  usual: atHome,
  connection: automatic1111Connection,
  environment: {
    variables: [
      {
        name: 'AUTOMATIC1111_URL',
        whenUnset: 'not set',
        about: 'Address of AUTOMATIC1111, Forge or SD.Next.',
        holds: 'address',
      },
    ],
    credentials: () => ({}),
    isChosen: (env) => Boolean(env.AUTOMATIC1111_URL),
  },
  routes: () => forAll({ upscale: true }),
};
