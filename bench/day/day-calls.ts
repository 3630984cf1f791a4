import { createLoad, type Target } from '../load.ts';
import type { Outside } from './day-outside.ts';

// Calls of each kind per second, far below the server's capacity: this benchmark looks for growth, not for speed.
export const rates = {
  creates: 20,
  'creates with inputs': 1,
  batches: 0.1,
  doors: 1,
  polls: 40,
  lists: 5,
  streams: 5,
  panel: 3,
};
const requestsOfBatch = 10;

export type Kind = keyof typeof rates;
export const kinds = Object.keys(rates) as Kind[];
export type DayCalls = Record<Kind, () => Promise<void>>;

/** Returns one function for each kind of call. Each throws if the server's answer is unexpected. */
export async function callsADay(target: Target, outside: Outside): Promise<DayCalls> {
  const { url, key } = target;
  const asClient = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const asPerson = {
    cookie: await signIn(target),
    'darkroom-panel': '1',
    'darkroom-account': target.accountId ?? '',
  };
  let last = '';

  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(url + path, { ...init, headers: init.headers ?? asClient });
    if (!answer.ok)
      throw new Error(`${path} was answered with ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    return answer;
  }
  const read = async (path: string, headers: Record<string, string> = asClient) =>
    void (await (await call(path, { headers })).arrayBuffer());
  async function create(path: string, more: object = {}): Promise<void> {
    const body = { ...JSON.parse(createLoad.body ?? ''), callback_url: outside.hook, ...more };
    const answer = await call(path, { method: 'POST', body: JSON.stringify(body) });
    last = ((await answer.json()) as { job_id: string }).job_id; // the documented answer
  }
  async function lastPath(): Promise<string> {
    if (last === '') await create(createLoad.path);
    return `/api/v1/jobs/${last}`;
  }
  const account = `/panel/accounts/${target.accountId}`;
  const lists = ['/api/v1/jobs?limit=50', '/api/v1/jobs?status=done&limit=100'];
  const pages = [`${account}/overview`, ...lists, '/api/v1/usage?include=times'];
  let seenPages = 0;

  return {
    creates: () => create(createLoad.path),
    'creates with inputs': () =>
      create('/api/v1/nb2/url-generations', { input_images_urls: outside.images() }),
    async batches() {
      const request = { model: 'nb2', mode: 'text', body: JSON.parse(createLoad.body ?? '') };
      const body = JSON.stringify({ requests: Array.from({ length: requestsOfBatch }, () => request) });
      await (await call('/api/v1/batches', { method: 'POST', body })).arrayBuffer();
    },
    async doors() {
      const body = JSON.stringify({ model: 'nb2', prompt: 'a lighthouse at dusk', size: '1024x1024' });
      await (await call('/v1/images/generations', { method: 'POST', body })).arrayBuffer();
    },
    polls: async () => read(await lastPath()),
    lists: () => read('/api/v1/jobs'),
    async streams() {
      const answer = await call(await lastPath(), { headers: { ...asClient, accept: 'text/event-stream' } });
      const reader = answer.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
    panel: () => read(pages[seenPages++ % pages.length] ?? account, asPerson),
  };
}

async function signIn({ url, panelLink = '' }: Target): Promise<string> {
  const token = new URL(panelLink).hash.slice(1);
  const answer = await fetch(`${url}/panel/links/open`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (!answer.ok) throw new Error(`the panel let nobody in: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}
