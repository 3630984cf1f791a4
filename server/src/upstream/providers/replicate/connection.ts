import { parseBaseUrl } from '../base-url.ts';
import { type ConnectionKind, describeModels, plainKey } from '../connection.ts';
import { failure } from '../failure.ts';
import { pickList, pickText } from '../pick.ts';
import { createUpstream } from '../upstream.ts';
import { replicateUrl } from './predictions.ts';
import { readInput } from './read-input.ts';
import { replicateRefusal } from './refusal.ts';
import { replicateCapabilities } from './request.ts';
import type { ReplicateCredentials } from './settings.ts';

const collection = 'text-to-image';

export const replicateConnection: ConnectionKind<ReplicateCredentials> = {
  name: 'Replicate',
  about: 'Its collection of text-to-image models',
  needsAddress: false,
  keyless: 'never',
  advice: {
    key: 'Copy a token, r8_…, from https://replicate.com/account/api-tokens.',
    quota: 'Add credit at https://replicate.com/account/billing.',
    address: 'Leave the address out, unless Replicate is reached through a proxy.',
  },
  readKey: (key) => ({ token: plainKey(key) }),

  async find({ baseUrl, credentials: { token }, guard }, signal) {
    await using upstream = createUpstream(guard, [token]);
    const { href } = parseBaseUrl(baseUrl ?? replicateUrl);
    const get = (path: string) =>
      upstream.call({ url: href + path, headers: { authorization: `Bearer ${token}` }, signal });
    const account = await get('/account');
    if (!account.ok) throw replicateRefusal(upstream, account);
    if (!pickText(account.json(), 'username'))
      throw failure('bad_response', { detail: 'an answer without an account' });
    const listed = await get(`/collections/${collection}`);
    const all = listed.ok ? pickList(listed.json(), 'models') : [];
    const models = all.flatMap((model) => {
      const id = `${pickText(model, 'owner')}/${pickText(model, 'name')}`;
      const input = readInput(model);
      return input ? [{ id, settings: { model: id, ...input } }] : [];
    });
    return { models: describeModels(models, replicateCapabilities) };
  },
};
