import { parseBaseUrl } from '../base-url.ts';
import { type ConnectionKind, describeModels, plainKey, type UpstreamAccess } from '../connection.ts';
import { failure } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { ProviderError } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { openAiUrl } from './openai.ts';
import { isOpenAi } from './own-address.ts';
import { openAiRefusal } from './refusal.ts';
import type { OpenAiCredentials, OpenAiSettings } from './settings.ts';
import { openAiCapabilities } from './sizes.ts';

export const openAiConnection: ConnectionKind<OpenAiCredentials> = {
  name: 'OpenAI',
  about: 'GPT Image, or any server that speaks OpenAI’s protocol',
  needsAddress: false,
  keyless: 'elsewhere',
  advice: {
    key: 'Use the key of this very server; OpenAI’s own are at https://platform.openai.com/api-keys.',
    quota: 'Add credit; OpenAI’s is at https://platform.openai.com/settings/organization/billing.',
    address: 'The address of a server that speaks OpenAI’s protocol usually ends in /v1.',
  },
  readKey: (key) => ({ apiKey: plainKey(key) }),

  async find({ baseUrl, credentials, guard }, signal) {
    const given = baseUrl ?? openAiUrl;
    try {
      return { models: await list(given, { credentials, guard }, signal) };
    } catch (error) {
      const withPath = addPath(given);
      if (!withPath || !(error instanceof ProviderError) || !elsewhere.has(error.kind)) throw error;
      const models = await list(withPath, { credentials, guard }, signal).catch((second: unknown) => {
        const isThere = second instanceof ProviderError && refusals.has(second.kind);
        throw isThere ? second : error;
      });
      return { models, baseUrl: withPath };
    }
  },
};

const elsewhere = new Set(['model_not_found', 'bad_response', 'invalid_input']);
/** Refusals that prove the address right: only the API sends them. */
const refusals = new Set(['auth', 'quota']);

async function list(
  baseUrl: string,
  { credentials: { apiKey }, guard }: Omit<UpstreamAccess<OpenAiCredentials>, 'baseUrl'>,
  signal: AbortSignal,
) {
  const base = parseBaseUrl(baseUrl);
  await using upstream = createUpstream(guard, [apiKey, ...base.secrets]);
  const authorization = apiKey ? `Bearer ${apiKey}` : base.authorization;
  const answer = await upstream.call({ url: `${base.href}/models`, headers: { authorization }, signal });
  if (!answer.ok) throw openAiRefusal(upstream, answer);
  const data = pick(answer.json(), 'data');
  if (!Array.isArray(data)) throw failure('bad_response', { detail: 'an answer without a list of models' });
  const ids = pickList(data).flatMap((model) => pickText(model, 'id') ?? []);
  // OpenAI lists models of every kind. Self-hosted servers seldom list models that do not make images.
  const wanted = isOpenAi(baseUrl) ? ids.filter((id) => /^(gpt|chatgpt)-image/.test(id)) : ids;
  return describeModels(
    wanted.map((id) => ({ id, settings: { model: id } })),
    (settings: OpenAiSettings) => openAiCapabilities(settings),
  );
}

function addPath(address: string): string | undefined {
  const url = new URL(address);
  if (url.pathname !== '/') return undefined;
  url.pathname = '/v1';
  return url.href;
}
