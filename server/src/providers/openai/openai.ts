import { SettingError } from '../../errors.ts';
import type { Guard } from '../../guard/guard.ts';
import { parseBaseUrl } from '../base-url.ts';
import { decodeImage } from '../decode-image.ts';
import { createDownloads, type Downloads } from '../download.ts';
import { failure } from '../failure.ts';
import { withoutWebp } from '../fit-input.ts';
import { healthOf } from '../health.ts';
import { pickList, pickText } from '../pick.ts';
import type { Capabilities, Health, ImageRequest, Provider } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { openAiRefusal, refusesResponseFormat } from './refusal.ts';
import { openAiTakes, toOpenAiRequest } from './request.ts';
import type { OpenAiCredentials, OpenAiSettings } from './settings.ts';
import { ratiosOf, resolutionsOf, type SizeTable, sizeTableOf } from './sizes.ts';

/** The wait before a download is retried. */
const downloadRetryMs = 500;

/** OpenAI Images, and every server that speaks it: LocalAI, stable-diffusion.cpp, LiteLLM. */
export function createOpenAi(
  settings: OpenAiSettings,
  credentials: OpenAiCredentials,
  guard: Guard,
): Provider {
  if (!settings.baseUrl && !credentials.apiKey)
    throw new SettingError('openai needs an API key (OPENAI_API_KEY) or a base URL');
  const base = parseBaseUrl(settings.baseUrl ?? 'https://api.openai.com/v1');
  const upstream = createUpstream([credentials.apiKey, ...base.secrets]);
  const downloads = createDownloads(upstream, { baseUrl: base.href, guard });
  const headers = { authorization: credentials.apiKey ? `Bearer ${credentials.apiKey}` : base.authorization };
  const table = sizeTableOf(settings);
  if (settings.inputFidelity && table === 'gpt-image-2')
    throw new SettingError('inputFidelity is not for gpt-image-2 and its successors: leave it out');
  // Set once this route's server has refused the field.
  let omitsFormat = settings.responseFormat === 'none';

  function post(request: ImageRequest, signal: AbortSignal) {
    const format = omitsFormat ? ({ responseFormat: 'none' } as const) : {};
    const { path, body } = toOpenAiRequest({ ...settings, ...format }, table, request);
    return upstream.call({ method: 'POST', url: base.href + path, headers, body, signal });
  }

  return {
    id: 'openai',
    model: settings.model,
    capabilities: capabilities(settings, table),
    takesField: openAiTakes,

    async generate(request, { signal }) {
      const inputs = table === 'exact' ? await Promise.all(request.inputs.map(withoutWebp)) : request.inputs;
      let answer = await post({ ...request, inputs }, signal);
      if (!omitsFormat && refusesResponseFormat(answer)) {
        omitsFormat = true;
        answer = await post({ ...request, inputs }, signal);
      }
      if (!answer.ok) throw openAiRefusal(upstream, answer);
      return { bytes: await readImage(downloads, answer.json(), signal) };
    },

    async check(signal) {
      let list: unknown;
      const health = await healthOf(async () => {
        const answer = await upstream.call({ url: `${base.href}/models`, headers, signal });
        if (!answer.ok) throw openAiRefusal(upstream, answer);
        list = answer.json();
      });
      return health.ok ? findModel(list, settings.model, table) : health;
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}

/**
 * Self-hosted servers often draw with their only model, whatever its name; OpenAI's own models come and go.
 */
function findModel(list: unknown, model: string, table: SizeTable): Health {
  const ids = pickList(list, 'data').flatMap((each) => pickText(each, 'id') ?? []);
  if (ids.length === 0 || ids.includes(model)) return { ok: true };
  const isImage = (id: string) => table === 'exact' || /image/.test(id);
  const others = ids.filter(isImage).slice(0, 10).join(', ');
  return {
    ok: table === 'exact',
    detail: `The server does not list the model ${model}. It lists ${others}.`,
  };
}

/** GPT image models take 16 inputs, more than a job can have. */
function capabilities(settings: OpenAiSettings, table: SizeTable): Capabilities {
  return {
    ratios: settings.ratios ?? ratiosOf(table),
    resolutions: settings.resolutions ?? resolutionsOf(table),
    maxInputs: settings.maxInputs ?? 14,
    resumable: false,
  };
}

async function readImage(downloads: Downloads, body: unknown, signal: AbortSignal): Promise<Uint8Array> {
  const base64 = pickText(body, 'data', 0, 'b64_json');
  if (base64) return decodeImage(base64);
  // Some compatible servers always return a link.
  const link = pickText(body, 'data', 0, 'url');
  if (link) return downloads.image(link, { intervalMs: downloadRetryMs, signal });
  throw failure('no_image', { detail: 'no image in data[0]' });
}
