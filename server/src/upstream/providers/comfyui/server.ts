import type { Guard } from '../../../base/guard/guard.ts';
import { parseBaseUrl, type ServerLogin } from '../base-url.ts';
import { type Body, extension, formBody, jsonBody } from '../body.ts';
import { pickText } from '../pick.ts';
import type { InputImage, ProviderError } from '../provider.ts';
import { type Answer, createUpstream, type Upstream } from '../upstream.ts';
import { comfyRefusal, submitRefusal } from './refusal.ts';

export interface ComfyUiServer {
  upstream: Upstream;
  /** @throws ProviderError unless the answer is a success */
  get(path: string, signal: AbortSignal): Promise<Answer>;
  /** The bytes of a run's image; null if the file is gone. */
  view(path: string, signal: AbortSignal): Promise<Buffer | null>;
  /** Returns the answer, whatever its status. */
  post(path: string, body: Body, signal: AbortSignal): Promise<Answer>;
  /** Returns the file name for a LoadImage node. */
  upload(fileStem: string, input: InputImage, signal: AbortSignal): Promise<string>;
  /** Returns an error if only a part of the graph was queued. */
  submit(graph: unknown, promptId: string, signal: AbortSignal): Promise<ProviderError | undefined>;
}

export function createServer(baseUrl: string, login: ServerLogin, guard: Guard): ComfyUiServer {
  const base = parseBaseUrl(baseUrl, login);
  const headers = { authorization: base.authorization };
  const upstream = createUpstream(guard, base.secrets);
  const post = (path: string, body: Body, signal: AbortSignal) =>
    upstream.call({ method: 'POST', url: base.href + path, headers, body, signal });

  return {
    upstream,
    post,

    async get(path, signal) {
      const answer = await upstream.call({ url: base.href + path, headers, signal });
      if (!answer.ok) throw comfyRefusal(upstream, answer);
      return answer;
    },

    async view(path, signal) {
      const answer = await upstream.call({ url: base.href + path, headers, signal });
      if (answer.status === 404) return null;
      if (!answer.ok) throw comfyRefusal(upstream, answer);
      return answer.bytes;
    },

    async upload(fileStem, input, signal) {
      const texts = [['type', 'input'] as const, ['overwrite', 'true'] as const];
      const file = { name: 'image', fileName: `${fileStem}.${extension(input)}`, input };
      const answer = await post('/upload/image', formBody(texts, [file]), signal);
      if (!answer.ok) throw comfyRefusal(upstream, answer);
      // The server may have renamed the file.
      const name = pickText(answer.json(), 'name');
      if (!name) throw upstream.refusal(answer, { kind: 'bad_response' });
      const subfolder = pickText(answer.json(), 'subfolder');
      return subfolder ? `${subfolder}/${name}` : name;
    },

    async submit(graph, promptId, signal) {
      const body = jsonBody({ prompt: graph, client_id: 'darkroom', prompt_id: promptId });
      const answer = await post('/prompt', body, signal);
      const refusal = submitRefusal(upstream, answer);
      if (refusal && !answer.ok) throw refusal;
      return refusal;
    },
  };
}
