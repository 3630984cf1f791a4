import type { Guard } from '../../../base/guard/guard.ts';
import { jsonBody } from '../body.ts';
import { fitInput } from '../fit-input.ts';
import { healthOf } from '../health.ts';
import { pick } from '../pick.ts';
import type { ImageRequest, Provider } from '../provider.ts';
import { createUpstream, type Upstream } from '../upstream.ts';
import { createAccess, type GeminiAccess } from './access.ts';
import { geminiCapabilities, takesImageSize } from './capabilities.ts';
import { readAnswer } from './read-answer.ts';
import { readInteraction } from './read-interaction.ts';
import { geminiRefusal } from './refusal.ts';
import { geminiTakes, interactionTakes, toGeminiRequest, toInteraction } from './request.ts';
import type { GeminiCredentials, GeminiSettings } from './settings.ts';
import { geminiUse } from './use.ts';

export function createGemini(
  settings: GeminiSettings,
  credentials: GeminiCredentials,
  guard: Guard,
): Provider {
  const upstream = createUpstream(guard, [credentials.apiKey]);
  const access = createAccess(settings, credentials, upstream);
  const { model } = settings;
  const { takes, toBody, read } = apis[settings.api ?? 'generateContent'];

  return {
    id: 'gemini',
    model,
    capabilities: geminiCapabilities(settings),
    takesField: takes,

    async generate(request, context) {
      const headers = await access.headers(context.signal);
      const fitting = await fitInputs(access, request);
      const body = jsonBody(toBody(fitting, { model, imageSize: takesImageSize(model) }));
      const url = access.generateUrl;
      const answer = await upstream.call({ method: 'POST', url, headers, body, signal: context.signal });
      if (answer.status === 401) access.forget();
      if (!answer.ok) throw geminiRefusal(upstream, answer);
      const made = answer.json();
      const usage = pick(made, 'usageMetadata') ?? pick(made, 'usage');
      context.onCharge({ used: geminiUse(made), usage });
      return { bytes: read(made) };
    },

    check: (signal) => healthOf(() => probe(upstream, access, signal)),

    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

const apis = {
  generateContent: { takes: geminiTakes, toBody: toGeminiRequest, read: readAnswer },
  interactions: { takes: interactionTakes, toBody: toInteraction, read: readInteraction },
};

async function fitInputs(
  { maxInputBytes: maxBytes }: GeminiAccess,
  request: ImageRequest,
): Promise<ImageRequest> {
  const inputs = [];
  for (const input of request.inputs) inputs.push(await fitInput(input, { maxBytes }));
  return { ...request, inputs };
}

async function probe(upstream: Upstream, access: GeminiAccess, signal: AbortSignal): Promise<void> {
  const answer = await upstream.call({ url: access.modelUrl, headers: await access.headers(signal), signal });
  if (answer.status === 401) access.forget();
  if (!answer.ok) throw geminiRefusal(upstream, answer);
}
