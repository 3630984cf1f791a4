import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { createDownloads, type Downloads } from '../download.ts';
import { failure } from '../failure.ts';
import { withoutWebp } from '../fit-input.ts';
import { pick, pickText } from '../pick.ts';
import { pickImage } from '../pick-image.ts';
import type { ImageRequest, Provider } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { openAiRefusal, refusesResponseFormat } from './refusal.ts';
import { openAiTakes, toOpenAiRequest } from './request.ts';
import type { OpenAiSettings } from './settings.ts';
import { openAiCapabilities, type SizeTable } from './sizes.ts';
import { openAiUse } from './use.ts';

export interface ImagesServer {
  baseUrl: string;
  addressOf(path: string): string;
  headers: Record<string, string | undefined>;
  secrets: readonly (string | undefined)[];
}

interface Images extends Required<Pick<Provider, 'capabilities' | 'takesField' | 'generate'>> {
  listModels(signal: AbortSignal): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

const downloadRetryMs = 500;

export function createImages(
  server: ImagesServer,
  settings: OpenAiSettings,
  table: SizeTable,
  guard: Guard,
): Images {
  if (settings.inputFidelity && table === 'gpt-image-2')
    throw new SettingError('inputFidelity is not for gpt-image-2 and its successors: leave it out');
  const { headers } = server;
  const upstream = createUpstream(guard, server.secrets);
  const downloads = createDownloads(upstream, { baseUrl: server.baseUrl, guard });
  // True once this route's server has refused `response_format`.
  let omitsFormat = settings.responseFormat === 'none';

  function post(request: ImageRequest, signal: AbortSignal) {
    const format = omitsFormat ? ({ responseFormat: 'none' } as const) : {};
    const { path, body } = toOpenAiRequest({ ...settings, ...format }, table, request);
    return upstream.call({ method: 'POST', url: server.addressOf(path), headers, body, signal });
  }

  return {
    capabilities: openAiCapabilities(settings, table),
    takesField: openAiTakes,

    async generate(request, { signal, onCharge }) {
      const inputs = table === 'exact' ? await Promise.all(request.inputs.map(withoutWebp)) : request.inputs;
      let answer = await post({ ...request, inputs }, signal);
      if (!omitsFormat && refusesResponseFormat(answer)) {
        omitsFormat = true;
        answer = await post({ ...request, inputs }, signal);
      }
      if (!answer.ok) throw openAiRefusal(upstream, answer);
      const body = answer.json();
      // Azure answers with a success status even when it withholds a finished image.
      if (pick(body, 'error', 'code') !== undefined) throw openAiRefusal(upstream, answer);
      onCharge({ used: openAiUse(body), usage: pick(body, 'usage') });
      return { bytes: await readImage(downloads, body, signal) };
    },

    async listModels(signal) {
      const answer = await upstream.call({ url: server.addressOf('/models'), headers, signal });
      if (!answer.ok) throw openAiRefusal(upstream, answer);
      return answer.json();
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}

async function readImage(downloads: Downloads, body: unknown, signal: AbortSignal): Promise<Uint8Array> {
  const image = pickImage(body, 'data', 0, 'b64_json');
  if (image) return image;
  // Some compatible servers always return a link.
  const link = pickText(body, 'data', 0, 'url');
  if (link) return downloads.image(link, { intervalMs: downloadRetryMs, signal });
  throw failure('no_image', { detail: 'no image in data[0]' });
}
