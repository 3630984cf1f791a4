import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { createDownloads } from '../download.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { pickText } from '../pick.ts';
import { defaultPollMs } from '../poll.ts';
import type { ImageRequest, Provider } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { createPredictions, replicateUrl } from './predictions.ts';
import { replicateCapabilities, replicateTakes, toReplicateInput } from './request.ts';
import type { ReplicateCredentials, ReplicateSettings } from './settings.ts';

export function createReplicate(
  settings: ReplicateSettings,
  { token }: ReplicateCredentials,
  guard: Guard,
): Provider {
  if (!token) throw new SettingError('replicate needs a token (REPLICATE_API_TOKEN)');
  const upstream = createUpstream(guard, [token]);
  const predictions = createPredictions(settings, token, upstream);
  const downloads = createDownloads(upstream, { baseUrl: settings.baseUrl ?? replicateUrl, guard });
  const capabilities = replicateCapabilities(settings);
  const intervalMs = settings.pollMs ?? defaultPollMs;

  async function submit(request: ImageRequest, signal: AbortSignal): Promise<string> {
    const links: string[] = [];
    for (const [index, input] of request.inputs.entries())
      links.push(await predictions.upload(input, index, signal));
    return predictions.submit(toReplicateInput(settings, capabilities, request, links), signal);
  }

  return {
    id: 'replicate',
    model: settings.model,
    capabilities,
    takesField: replicateTakes(settings),

    async generate(request, { signal, remoteId: earlier, onSubmitted, onCharge }) {
      const remoteId = earlier ?? (await submit(request, signal));
      if (!earlier) await onSubmitted(remoteId);
      const output = await predictions.output(remoteId, signal);
      const made = typeof output === 'string' ? [output] : output;
      onCharge({ used: Array.isArray(made) ? { image: made.length } : undefined });
      const link = pickText(made, 0);
      if (!link) throw failure('no_image', { detail: 'a prediction that succeeded without output' });
      return { bytes: await downloads.image(link, { intervalMs, signal }) };
    },

    check: (signal) => healthOf(() => predictions.probe(signal)),
    cancel: (remoteId) => predictions.cancel(remoteId),
    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}
