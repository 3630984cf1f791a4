import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { parseBaseUrl } from '../base-url.ts';
import { healthOf } from '../health.ts';
import { pickList, pickText } from '../pick.ts';
import type { Health, Provider } from '../provider.ts';
import { createImages } from './images.ts';
import type { OpenAiCredentials, OpenAiSettings } from './settings.ts';
import { type SizeTable, sizeTableOf } from './sizes.ts';

export const openAiUrl = 'https://api.openai.com/v1';

/** Creates the provider for OpenAI and servers with its protocol, such as LocalAI, stable-diffusion.cpp and LiteLLM. */
export function createOpenAi(
  settings: OpenAiSettings,
  { apiKey }: OpenAiCredentials,
  guard: Guard,
): Provider {
  if (!settings.baseUrl && !apiKey)
    throw new SettingError('openai needs an API key (OPENAI_API_KEY) or a base URL');
  const base = parseBaseUrl(settings.baseUrl ?? openAiUrl);
  const table = sizeTableOf(settings);
  const server = {
    baseUrl: base.href,
    addressOf: (path: string) => base.href + path,
    headers: { authorization: apiKey ? `Bearer ${apiKey}` : base.authorization },
    secrets: [apiKey, ...base.secrets],
  };
  const { listModels, ...images } = createImages(server, settings, table, guard);

  return {
    id: 'openai',
    model: settings.model,
    ...images,

    async check(signal) {
      let list: unknown;
      const health = await healthOf(async () => {
        list = await listModels(signal);
      });
      return health.ok ? findModel(list, settings.model, table) : health;
    },
  };
}

/**
 * An unknown name is a failure only with OpenAI's own families and vLLM (see `owned_by`). Other self-hosted servers
 * often draw with their only model, whatever name they receive.
 */
function findModel(list: unknown, model: string, table: SizeTable): Health {
  const ids = pickList(list, 'data').flatMap((each) => pickText(each, 'id') ?? []);
  if (ids.length === 0 || ids.includes(model)) return { ok: true };
  const wantsName =
    table !== 'exact' ||
    pickList(list, 'data').some((each) => /^vllm/.test(pickText(each, 'owned_by') ?? ''));
  const isImage = (id: string) => table === 'exact' || /image/.test(id);
  const others = ids.filter(isImage).slice(0, 10).join(', ');
  return {
    ok: !wantsName,
    detail: `The server does not list the model ${model}. It lists ${others}.`,
  };
}
