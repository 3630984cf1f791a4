import { SettingError } from '../../../errors.ts';
import { type ConnectionKind, describeModels, plainKey } from '../connection.ts';
import { failure } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { createUpstream, type Upstream } from '../upstream.ts';
import { createAccess, type GeminiAccess } from './access.ts';
import { geminiCapabilities } from './capabilities.ts';
import { geminiRefusal } from './refusal.ts';
import type { GeminiCredentials } from './settings.ts';

/** The maximum number of pages. Google lists a thousand models per page, so a longer list is not Google's. */
const maxPages = 10;

export const geminiConnection: ConnectionKind<GeminiCredentials> = {
  name: 'Gemini',
  about: 'Google’s image models, by a key of AI Studio or Vertex AI',
  needsAddress: false,
  keyless: 'never',
  advice: {
    key: 'Copy a key from https://aistudio.google.com/apikey, or paste the whole JSON key file of a service account that may use Vertex AI.',
    quota: 'Set up billing for the project of the key at https://aistudio.google.com/usage.',
    address: 'Leave the address out, unless Google is reached through a proxy.',
    models: 'Use a project that has models such as gemini-3-pro-image.',
  },
  readKey: (key) => (key.startsWith('{') ? { serviceAccount: parse(key) } : { apiKey: plainKey(key) }),

  async find({ baseUrl, credentials, guard }, signal) {
    await using upstream = createUpstream(guard, [credentials.apiKey]);
    const access = createAccess({ model: '', ...(baseUrl ? { baseUrl } : {}) }, credentials, upstream);
    const listed = (await listAll(upstream, access, signal)).flatMap(readModel);
    // Vertex AI does not list most of its newest models.
    const models = listed.length > 0 ? listed : await findKnown(upstream, access, signal);
    return { models: describeModels(models, geminiCapabilities) };
  },
};

function readModel(model: unknown) {
  const id = (pickText(model, 'name') ?? '').replace(/^.*\//, '');
  // Imagen models have another protocol.
  if (!/-image\b|banana/.test(id)) return [];
  return [{ id, name: pickText(model, 'displayName'), settings: { model: id } }];
}

const known = ['gemini-3-pro-image', 'gemini-nano-banana-2.1', 'gemini-3.1-flash-lite-image'];

async function findKnown(upstream: Upstream, { modelUrl, headers }: GeminiAccess, signal: AbortSignal) {
  const found = [];
  for (const id of known) {
    const answer = await upstream.call({ url: modelUrl + id, headers: await headers(signal), signal });
    if (answer.ok) found.push({ id, settings: { model: id } });
  }
  return found;
}

async function listAll(upstream: Upstream, access: GeminiAccess, signal: AbortSignal): Promise<unknown[]> {
  const models: unknown[] = [];
  let page = '';
  for (let count = 0; count < maxPages; count += 1) {
    const url = `${access.listUrl}?pageSize=1000${page && `&pageToken=${encodeURIComponent(page)}`}`;
    const answer = await upstream.call({ url, headers: await access.headers(signal), signal });
    if (!answer.ok) throw geminiRefusal(upstream, answer);
    const json = answer.json();
    const list = pick(json, 'models') ?? pick(json, 'publisherModels');
    if (!Array.isArray(list)) throw failure('bad_response', { detail: 'an answer without a list of models' });
    models.push(...pickList(list));
    page = pickText(json, 'nextPageToken') ?? '';
    if (!page) break;
  }
  return models;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new SettingError('the service account is not whole: paste all of its JSON key file');
  }
}
