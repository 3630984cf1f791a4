import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { jsonBody } from '../body.ts';
import { createDownloads } from '../download.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { pick, pickText } from '../pick.ts';
import { defaultPollMs } from '../poll.ts';
import type { Provider } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { createQueue, falUrl } from './queue.ts';
import { endpointFor, falCapabilities, falTakes, toFalInput } from './request.ts';
import type { FalCredentials, FalSettings } from './settings.ts';

/** fal: submit, keep the request's id, poll until it is completed, download the result. */
export function createFal(settings: FalSettings, { key }: FalCredentials, guard: Guard): Provider {
  if (!key) throw new SettingError('fal needs a key (FAL_KEY)');
  const upstream = createUpstream(guard, [key]);
  const queue = createQueue(settings, key, upstream);
  const downloads = createDownloads(upstream, { baseUrl: settings.baseUrl ?? falUrl, guard });
  const capabilities = falCapabilities(settings);
  const intervalMs = settings.pollMs ?? defaultPollMs;

  return {
    id: 'fal',
    model: settings.model,
    capabilities,
    takesField: falTakes,

    async generate(request, { signal, remoteId: earlier, onSubmitted }) {
      const body = jsonBody(await toFalInput(settings, capabilities, request));
      const remoteId = earlier ?? (await queue.submit(endpointFor(settings, request), body, signal));
      if (!earlier) await onSubmitted(remoteId);
      const link = imageLink(await queue.result(remoteId, signal));
      return { bytes: await downloads.image(link, { intervalMs, signal }) };
    },

    check: (signal) => healthOf(() => queue.probe(signal)),
    cancel: (remoteId) => queue.cancel(remoteId),
    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}

function imageLink(result: unknown): string {
  // Open models answer a blocked prompt with a black picture and this flag.
  if (pick(result, 'has_nsfw_concepts', 0) === true)
    throw failure('safety_blocked', { detail: 'has_nsfw_concepts' });
  const link = pickText(result, 'images', 0, 'url') ?? pickText(result, 'image', 'url');
  if (link) return link;
  throw failure('no_image', { detail: 'a result without images', words: pickText(result, 'description') });
}
