import { parseBaseUrl, type ServerLogin } from '../base-url.ts';
import { type ConnectionKind, describeModels } from '../connection.ts';
import { failure } from '../failure.ts';
import { pickText } from '../pick.ts';
import { createUpstream } from '../upstream.ts';
import { automatic1111Capabilities } from './automatic1111.ts';
import { createRefusals } from './refusal.ts';

export const automatic1111Connection: ConnectionKind<ServerLogin> = {
  name: 'AUTOMATIC1111',
  about: 'Also Forge and SD.Next, with your checkpoints',
  needsAddress: true,
  keyless: 'always',
  advice: {
    key: 'Give the user:password that the server was started with (--api-auth).',
    quota: 'Add credit where the server is rented.',
    address: 'Start it with --api; its address is that of its page, such as http://127.0.0.1:7860.',
    models: 'Put a checkpoint into its folder of models.',
  },
  readKey: (login) => ({ login }),

  async find({ baseUrl = '', credentials, guard }, signal) {
    const base = parseBaseUrl(baseUrl, credentials);
    await using upstream = createUpstream(guard, base.secrets);
    const headers = { authorization: base.authorization };
    const answer = await upstream.call({ url: `${base.href}/sdapi/v1/sd-models`, headers, signal });
    // Here, a 404 probably comes from a server without --api, not from one that is starting.
    if (answer.status === 404) throw upstream.refusal(answer);
    if (!answer.ok) throw createRefusals(upstream)(answer);
    const list = answer.json();
    if (!Array.isArray(list))
      throw failure('bad_response', { detail: 'an answer that is not a list of models' });
    const models = list.flatMap((each: unknown) => {
      const id = pickText(each, 'model_name') ?? pickText(each, 'title');
      return id ? [{ id, name: pickText(each, 'title'), settings: { model: id } }] : [];
    });
    return { models: describeModels(models, automatic1111Capabilities) };
  },
};
