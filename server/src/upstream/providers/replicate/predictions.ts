import { parseBaseUrl } from '../base-url.ts';
import { type Body, extension, formBody, jsonBody } from '../body.ts';
import { failure } from '../failure.ts';
import { pick, pickText } from '../pick.ts';
import { cancelTimeoutMs, defaultPollMs, poll } from '../poll.ts';
import type { InputImage } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';
import { predictionFailure, replicateRefusal } from './refusal.ts';
import type { ReplicateSettings } from './settings.ts';

export const replicateUrl = 'https://api.replicate.com/v1';

/** https://replicate.com/docs/reference/http#predictions.get; `starting` and `processing` are not final. */
const failedStates = new Set(['failed', 'canceled', 'aborted']);

export function createPredictions(settings: ReplicateSettings, token: string, upstream: Upstream) {
  const headers = { authorization: `Bearer ${token}` };
  const { href } = parseBaseUrl(settings.baseUrl ?? replicateUrl);
  const [model = '', version] = settings.model.split(':');
  const addressOf = (remoteId: string) => `${href}/predictions/${encodeURIComponent(remoteId)}`;

  async function post(path: string, body: Body, signal: AbortSignal): Promise<Answer> {
    const answer = await upstream.call({ method: 'POST', url: href + path, headers, body, signal });
    if (!answer.ok) throw replicateRefusal(upstream, answer);
    return answer;
  }

  return {
    /** Uploads a file, because data URIs are limited to 10 MB. Returns its link, which is valid for a day. */
    async upload(input: InputImage, index: number, signal: AbortSignal): Promise<string> {
      const fileName = `input-${index + 1}.${extension(input)}`;
      const answer = await post('/files', formBody([], [{ name: 'content', fileName, input }]), signal);
      const link = pickText(answer.json(), 'urls', 'get');
      if (!link) throw upstream.refusal(answer, { kind: 'bad_response' });
      return link;
    },

    async submit(input: unknown, signal: AbortSignal): Promise<string> {
      const answer = version
        ? await post('/predictions', jsonBody({ input, version }), signal)
        : await post(`/models/${model}/predictions`, jsonBody({ input }), signal);
      const remoteId = pickText(answer.json(), 'id');
      if (!remoteId) throw upstream.refusal(answer, { kind: 'bad_response' });
      return remoteId;
    },

    async output(remoteId: string, signal: AbortSignal): Promise<unknown> {
      const ask = async () => {
        const answer = await upstream.call({ url: addressOf(remoteId), headers, signal });
        if (!answer.ok && answer.status !== 404) throw replicateRefusal(upstream, answer);
        return { known: answer.ok, prediction: answer.json() };
      };
      const read = ({ known, prediction }: Awaited<ReturnType<typeof ask>>) => {
        if (!known)
          throw failure('unavailable', { sent: true, detail: 'the prediction is not known any more' });
        const status = pickText(prediction, 'status');
        if (status === 'succeeded') return { output: pick(prediction, 'output') };
        // A prediction in an unknown state counts as running. If we gave up, a retry would pay for the image again.
        if (failedStates.has(status ?? '')) throw predictionFailure(prediction);
        return undefined;
      };
      return (await poll({ ask, read, intervalMs: settings.pollMs ?? defaultPollMs, signal })).output;
    },

    async cancel(remoteId: string): Promise<void> {
      const signal = AbortSignal.timeout(cancelTimeoutMs);
      const url = `${addressOf(remoteId)}/cancel`;
      const answer = await upstream.call({ method: 'POST', url, headers, signal });
      if (!answer.ok && answer.status !== 404) throw replicateRefusal(upstream, answer);
    },

    /** @throws ProviderError if the token is refused, the model does not exist or Replicate does not answer */
    async probe(signal: AbortSignal): Promise<void> {
      const answer = await upstream.call({ url: `${href}/models/${model}`, headers, signal });
      if (!answer.ok) throw replicateRefusal(upstream, answer);
    },
  };
}
