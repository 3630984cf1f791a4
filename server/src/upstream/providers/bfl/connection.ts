import { type ConnectionKind, describeModels, plainKey } from '../connection.ts';
import { createUpstream } from '../upstream.ts';
import { bflCapabilities, familyOf } from './families.ts';
import type { BflCredentials, BflSettings } from './settings.ts';
import { createTasks } from './tasks.ts';

/** The models of the documentation, because the API has no list. */
const known = [
  'flux-3-image',
  'flux-2-pro',
  'flux-2-max',
  'flux-2-klein-9b',
  'flux-kontext-pro',
  'flux-kontext-max',
  'flux-pro-1.1',
  'flux-pro-1.1-ultra',
  'flux-dev',
];

export const bflConnection: ConnectionKind<BflCredentials> = {
  name: 'Black Forest Labs',
  about: 'FLUX, from its makers',
  needsAddress: false,
  keyless: 'never',
  advice: {
    key: 'Copy a key from https://dashboard.bfl.ai.',
    quota: 'Add credits at https://dashboard.bfl.ai.',
    address: 'Leave the address out, unless it is reached through a proxy or in a region of your choice.',
  },
  readKey: (key) => ({ apiKey: plainKey(key) }),

  async find({ baseUrl, credentials: { apiKey = '' }, guard }, signal) {
    await using upstream = createUpstream(guard, [apiKey]);
    await createTasks({ model: '', ...(baseUrl ? { baseUrl } : {}) }, apiKey, upstream).probe(signal);
    const models = known.map((id) => ({ id, settings: { model: id } }));
    const capabilitiesOf = (settings: BflSettings) => bflCapabilities(settings, familyOf(settings));
    return { models: describeModels(models, capabilitiesOf) };
  },
};
