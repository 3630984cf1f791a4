import { parseBaseUrl } from '../base-url.ts';
import type { Body } from '../body.ts';
import { failure } from '../failure.ts';
import { pickText } from '../pick.ts';
import { cancelTimeoutMs, defaultPollMs, poll } from '../poll.ts';
import type { Answer, Upstream } from '../upstream.ts';
import { falRefusal, isVerdict } from './refusal.ts';
import type { FalSettings } from './settings.ts';

/** No request has this id. fal's answer about it shows for free whether the key is accepted. */
const noRequest = '00000000-0000-0000-0000-000000000000';

export const falUrl = 'https://queue.fal.run';

export function createQueue(settings: FalSettings, key: string, upstream: Upstream) {
  const headers = { authorization: `Key ${key}` };
  const { href } = parseBaseUrl(settings.baseUrl ?? falUrl);
  const addressOf = (remoteId: string) => `${href}/${remoteId}`;

  async function ask(url: string, signal: AbortSignal): Promise<Answer> {
    const answer = await upstream.call({ url, headers, signal });
    // Other refusals, such as of a key or a locked account, say nothing about the request, which continues.
    const isOfRequest = answer.ok || answer.status === 404 || isVerdict(answer);
    if (!isOfRequest) throw falRefusal(upstream, answer);
    answer.json();
    return answer;
  }

  return {
    /** The returned path identifies the request from now on. */
    async submit(endpoint: string, body: Body, signal: AbortSignal): Promise<string> {
      const answer = await upstream.call({
        method: 'POST',
        url: `${href}/${endpoint}`,
        headers,
        body,
        signal,
      });
      if (!answer.ok) throw falRefusal(upstream, answer);
      const requestId = pickText(answer.json(), 'request_id') ?? '';
      if (!/^[\w-]+$/.test(requestId)) throw upstream.refusal(answer, { kind: 'bad_response' });
      return requestPath(endpoint, requestId);
    },

    async result(remoteId: string, signal: AbortSignal): Promise<Answer> {
      const pace = { intervalMs: settings.pollMs ?? defaultPollMs, signal };
      const completed = (answer: Answer) => {
        if (answer.status === 404)
          throw failure('unavailable', { sent: true, detail: 'the request is not known any more' });
        if (!answer.ok) throw falRefusal(upstream, answer);
        return pickText(answer.json(), 'status') === 'COMPLETED' || undefined;
      };
      await poll({ ask: () => ask(`${addressOf(remoteId)}/status`, signal), read: completed, ...pace });
      const output = (answer: Answer) => {
        // A completed request whose result is gone may be billed.
        if (answer.status === 404) throw upstream.refusal(answer, { sent: true });
        if (!answer.ok) throw falRefusal(upstream, answer);
        return answer;
      };
      return await poll({ ask: () => ask(addressOf(remoteId), signal), read: output, ...pace });
    },

    async cancel(remoteId: string): Promise<void> {
      const signal = AbortSignal.timeout(cancelTimeoutMs);
      const answer = await upstream.call({
        method: 'PUT',
        url: `${addressOf(remoteId)}/cancel`,
        headers,
        signal,
      });
      // 400: the request has ended. 404: it is gone.
      if (!answer.ok && answer.status !== 400 && answer.status !== 404) throw falRefusal(upstream, answer);
    },

    /** @throws ProviderError if the key is refused or fal does not answer */
    async probe(signal: AbortSignal): Promise<void> {
      const answer = await upstream.call({
        url: `${addressOf(requestPath(settings.model, noRequest))}/status`,
        headers,
        signal,
      });
      if (answer.status !== 404) throw falRefusal(upstream, answer);
      // fal answers in JSON even for an unknown path, so any other answer is not from fal.
      if (answer.json() === undefined) throw upstream.refusal(answer, { kind: 'bad_response' });
    },
  };
}

/** The path of a request. It contains only the owner and the app of the model's name. */
function requestPath(endpoint: string, requestId: string): string {
  const parts = endpoint.split('/');
  const depth = parts[0] === 'workflows' || parts[0] === 'comfy' ? 3 : 2;
  return `${parts.slice(0, depth).join('/')}/requests/${requestId}`;
}
