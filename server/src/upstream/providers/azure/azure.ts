import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { parseBaseUrl } from '../base-url.ts';
import { healthOf } from '../health.ts';
import { createImages, type ImagesServer } from '../openai/images.ts';
import { openAiCapabilities, type SizeTable, sizeTableOf } from '../openai/sizes.ts';
import type { Capabilities, Provider } from '../provider.ts';
import type { AzureCredentials, AzureSettings } from './settings.ts';

/** The first API version that accepts input images. */
const defaultVersion = '2025-04-01-preview';

/** Each deployment has its own address. The version is in the query, and the key in another header than OpenAI's. */
export function createAzure(settings: AzureSettings, { apiKey }: AzureCredentials, guard: Guard): Provider {
  if (!apiKey) throw new SettingError('azure needs an API key (AZURE_OPENAI_API_KEY)');
  const server = azureServer(settings, apiKey);
  const { listModels, ...images } = createImages(server, settings, azureTable(settings), guard);

  return {
    id: 'azure',
    model: settings.model,
    ...images,
    // Azure lists models, not deployments, so only the first job finds a missing deployment.
    check: (signal) => healthOf(async () => void (await listModels(signal))),
  };
}

export function azureServer(settings: AzureSettings, apiKey: string): ImagesServer {
  const { href } = parseBaseUrl(settings.baseUrl);
  const query = `?api-version=${settings.apiVersion ?? defaultVersion}`;
  const deployment = `/deployments/${settings.model}`;
  return {
    baseUrl: href,
    addressOf: (path) => `${href}/openai${path.startsWith('/images/') ? deployment : ''}${path}${query}`,
    headers: { 'api-key': apiKey },
    secrets: [apiKey],
  };
}

export function azureCapabilities(settings: AzureSettings): Capabilities {
  return openAiCapabilities(settings, azureTable(settings));
}

/** A deployment may have any name, but nearly always runs a GPT image model. */
function azureTable(settings: AzureSettings): SizeTable {
  const guess = sizeTableOf(settings);
  return guess === 'exact' && !settings.sizes ? 'gpt-image-1.5' : guess;
}
