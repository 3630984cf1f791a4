import { SettingError } from '../../../errors.ts';
import { parseBaseUrl } from '../base-url.ts';
import type { Upstream } from '../upstream.ts';
import { createTokens, parseServiceAccount } from './service-account.ts';
import type { GeminiCredentials, GeminiSettings } from './settings.ts';

export interface GeminiAccess {
  generateUrl: string;
  /** The URL of the model. If the settings name no model, the prefix that precedes a model's name. */
  modelUrl: string;
  listUrl: string;
  maxInputBytes: number;
  headers(signal: AbortSignal): Promise<Record<string, string>>;
  /** Drops the cached token, after the server has refused it. */
  forget(): void;
}

/**
 * The size of all inputs that a job can have, so that none needs to shrink. As base64 they are 54 MB, and the Gemini
 * API takes 100 MB in one request.
 */
const geminiMaxInputBytes = 40 * 1024 * 1024;
/** The largest input. Vertex AI takes 7 MB for an inline image, which is assumed to mean base64. */
const vertexMaxInputBytes = Math.floor((7_000_000 * 3) / 4);

export function createAccess(
  settings: GeminiSettings,
  credentials: GeminiCredentials,
  upstream: Upstream,
): GeminiAccess {
  const { apiKey, serviceAccount } = credentials;
  const meansVertex = settings.project !== undefined || settings.location !== undefined || !apiKey;
  if (serviceAccount !== undefined && meansVertex) return vertex(settings, serviceAccount, upstream);
  if (!apiKey)
    throw new SettingError(
      'gemini needs an API key (GEMINI_API_KEY) or a service account (GOOGLE_APPLICATION_CREDENTIALS)',
    );
  const { href } = parseBaseUrl(settings.baseUrl ?? 'https://generativelanguage.googleapis.com');
  const beta = `${href}/v1beta`;
  const listUrl = `${beta}/models`;
  const modelUrl = `${listUrl}/${encodeURIComponent(settings.model)}`;
  return {
    generateUrl: settings.api === 'interactions' ? `${beta}/interactions` : `${modelUrl}:generateContent`,
    modelUrl,
    listUrl,
    maxInputBytes: geminiMaxInputBytes,
    headers: async () => ({ 'x-goog-api-key': apiKey }),
    forget() {},
  };
}

function vertex(settings: GeminiSettings, json: unknown, upstream: Upstream): GeminiAccess {
  if (settings.api === 'interactions')
    throw new SettingError('gemini has interactions with an API key alone, not on Vertex AI');
  const account = parseServiceAccount(json);
  const tokens = createTokens(account, upstream);
  const project = settings.project ?? account.projectId;
  if (!project)
    throw new SettingError('gemini needs a project: neither the settings nor the service account name one');
  const location = settings.location ?? 'global';
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`;
  const { href } = parseBaseUrl(settings.baseUrl ?? `https://${host}`);
  const model = `publishers/google/models/${encodeURIComponent(settings.model)}`;
  return {
    generateUrl: `${href}/v1/projects/${encodeURIComponent(project)}/locations/${location}/${model}:generateContent`,
    modelUrl: `${href}/v1/${model}`,
    // Only the beta API lists models.
    listUrl: `${href}/v1beta1/publishers/google/models`,
    maxInputBytes: vertexMaxInputBytes,
    headers: async (signal) => ({ authorization: `Bearer ${await tokens.get(signal)}` }),
    forget: tokens.forget,
  };
}
