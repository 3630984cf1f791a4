import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { jsonBody } from '../body.ts';
import { createDownloads } from '../download.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { pick, pickText } from '../pick.ts';
import { defaultPollMs } from '../poll.ts';
import type { Provider } from '../provider.ts';
import { type Answer, createUpstream } from '../upstream.ts';
import { createQueue, falUrl } from './queue.ts';
import { endpointFor, falCapabilities, falTakes, toFalInput } from './request.ts';
import type { FalCredentials, FalSettings } from './settings.ts';

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

    async generate(request, { signal, remoteId: earlier, onSubmitted, onCharge }) {
      const body = jsonBody(await toFalInput(settings, capabilities, request));
      const remoteId = earlier ?? (await queue.submit(endpointFor(settings, request), body, signal));
      if (!earlier) await onSubmitted(remoteId);
      const result = await queue.result(remoteId, signal);
      const units = billableUnits(result);
      if (units !== undefined) onCharge({ used: { unit: units }, usage: { billable_units: units } });
      const link = imageLink(result.json());
      return { bytes: await downloads.image(link, { intervalMs, signal }) };
    },

    check: (signal) => healthOf(() => queue.probe(signal)),
    cancel: (remoteId) => queue.cancel(remoteId),
    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}

/**
 * A unit is an image or part of a large one, or for some models a megapixel, at the model's price:
 * fal.ai/docs/documentation/serverless/publishing-to-marketplace, /v1/models/pricing
 */
function billableUnits({ headers }: Answer): number | undefined {
  const units = Number(headers.get('x-fal-billable-units') || Number.NaN);
  return Number.isFinite(units) && units >= 0 ? units : undefined;
}

function imageLink(result: unknown): string {
  // Open models answer a blocked prompt with a black image and this flag.
  if (pick(result, 'has_nsfw_concepts', 0) === true)
    throw failure('safety_blocked', { detail: 'has_nsfw_concepts' });
  const link = pickText(result, 'images', 0, 'url') ?? pickText(result, 'image', 'url');
  if (link) return link;
  throw failure('no_image', { detail: 'a result without images', words: pickText(result, 'description') });
}
