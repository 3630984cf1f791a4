import { type ConnectionKind, plainKey } from '../connection.ts';
import { failure } from '../failure.ts';
import { openAiRefusal } from '../openai/refusal.ts';
import { pick } from '../pick.ts';
import { createUpstream } from '../upstream.ts';
import { azureServer } from './azure.ts';
import type { AzureCredentials } from './settings.ts';

export const azureConnection: ConnectionKind<AzureCredentials> = {
  name: 'Azure OpenAI',
  about: 'Your own deployments of GPT Image',
  needsAddress: true,
  keyless: 'never',
  advice: {
    key: 'Copy one of the two keys of the resource, under “Keys and Endpoint” in the Azure portal.',
    quota: 'Raise the quota of the deployment, or settle the subscription, in the Azure portal.',
    address: 'It is the endpoint of the resource, such as https://NAME.openai.azure.com.',
  },
  readKey: (key) => ({ apiKey: plainKey(key) }),

  async find({ baseUrl = '', credentials: { apiKey = '' }, guard }, signal) {
    const { addressOf, headers } = azureServer({ baseUrl, model: '' }, apiKey);
    await using upstream = createUpstream(guard, [apiKey]);
    const answer = await upstream.call({ url: addressOf('/models'), headers, signal });
    if (!answer.ok) throw openAiRefusal(upstream, answer);
    if (!Array.isArray(pick(answer.json(), 'data')))
      throw failure('bad_response', { detail: 'an answer without a list of models' });
    // Azure lists models that could be deployed. Only the owner knows the names of deployments.
    return { models: [] };
  },
};
