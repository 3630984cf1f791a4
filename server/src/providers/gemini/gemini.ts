import type { Guard } from '../../guard/guard.ts';
import { jsonBody } from '../body.ts';
import { fitInput } from '../fit-input.ts';
import { healthOf } from '../health.ts';
import type { ImageRequest, Provider } from '../provider.ts';
import { createUpstream, type Upstream } from '../upstream.ts';
import { createAccess, type GeminiAccess } from './access.ts';
import { geminiCapabilities, takesImageSize } from './capabilities.ts';
import { readAnswer } from './read-answer.ts';
import { geminiRefusal } from './refusal.ts';
import { geminiTakes, toGeminiRequest } from './request.ts';
import type { GeminiCredentials, GeminiSettings } from './settings.ts';

/**
 * The Gemini API with a key, or Vertex AI with a service account: the bodies are the same, addresses and
 * limits differ.
 */
export function createGemini(
  settings: GeminiSettings,
  credentials: GeminiCredentials,
  guard: Guard,
): Provider {
  const upstream = createUpstream(guard, [credentials.apiKey]);
  const access = createAccess(settings, credentials, upstream);
  const { model } = settings;

  return {
    id: 'gemini',
    model,
    capabilities: geminiCapabilities(settings),
    takesField: geminiTakes,

    async generate(request, context) {
      const headers = await access.headers(context.signal);
      const body = await requestBody(model, access, request);
      const url = access.generateUrl;
      const answer = await upstream.call({ method: 'POST', url, headers, body, signal: context.signal });
      if (answer.status === 401) access.forget();
      if (!answer.ok) throw geminiRefusal(upstream, answer);
      return { bytes: readAnswer(answer.json()) };
    },

    check: (signal) => healthOf(() => probe(upstream, access, signal)),

    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

async function requestBody(model: string, access: GeminiAccess, request: ImageRequest) {
  const inputs = [];
  for (const input of request.inputs) inputs.push(await fitInput(input, { maxBytes: access.maxInputBytes }));
  return jsonBody(toGeminiRequest({ ...request, inputs }, { imageSize: takesImageSize(model) }));
}

async function probe(upstream: Upstream, access: GeminiAccess, signal: AbortSignal): Promise<void> {
  const answer = await upstream.call({ url: access.modelUrl, headers: await access.headers(signal), signal });
  if (answer.status === 401) access.forget();
  if (!answer.ok) throw geminiRefusal(upstream, answer);
}
