import { type ConnectionKind, describeModels, plainKey } from '../connection.ts';
import { createUpstream } from '../upstream.ts';
import { createQueue } from './queue.ts';
import { falCapabilities } from './request.ts';
import type { FalCredentials, FalSettings } from './settings.ts';

/** The models known to accept our requests, because fal's queue has no list. */
const known: readonly { name: string; settings: FalSettings }[] = [
  { name: 'Nano Banana Pro', settings: { model: 'fal-ai/nano-banana-pro' } },
  { name: 'Nano Banana 2', settings: { model: 'fal-ai/nano-banana-2' } },
  {
    name: 'FLUX.2 [dev]',
    settings: { model: 'fal-ai/flux-2', editModel: 'fal-ai/flux-2/edit', sizeBy: 'image_size', maxInputs: 4 },
  },
  { name: 'FLUX.1 [dev]', settings: { model: 'fal-ai/flux/dev', sizeBy: 'image_size' } },
  { name: 'FLUX.1 [schnell]', settings: { model: 'fal-ai/flux/schnell', sizeBy: 'image_size' } },
  { name: 'Qwen-Image', settings: { model: 'fal-ai/qwen-image', sizeBy: 'image_size' } },
  { name: 'Z-Image Turbo', settings: { model: 'fal-ai/z-image/turbo', sizeBy: 'image_size' } },
];

export const falConnection: ConnectionKind<FalCredentials> = {
  name: 'fal',
  about: 'FLUX, Nano Banana, Qwen-Image and others, by one key',
  needsAddress: false,
  keyless: 'never',
  advice: {
    key: 'Copy a whole key, KEY_ID:KEY_SECRET, from https://fal.ai/dashboard/keys.',
    quota: 'Add credit at https://fal.ai/dashboard/billing.',
    address: 'Leave the address out, unless fal is reached through a proxy.',
  },
  readKey: (key) => ({ key: plainKey(key) }),

  async find({ baseUrl, credentials: { key = '' }, guard }, signal) {
    await using upstream = createUpstream(guard, [key]);
    const [first] = known;
    const model = first?.settings.model ?? '';
    await createQueue({ model, ...(baseUrl ? { baseUrl } : {}) }, key, upstream).probe(signal);
    const models = known.map((each) => ({ id: each.settings.model, ...each }));
    return { models: describeModels(models, falCapabilities) };
  },
};
