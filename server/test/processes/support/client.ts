import type { ServerProcess } from './server-process.ts';

export interface Reply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export type Client = (method: string, path: string, options?: Options) => Promise<Reply>;

interface Options {
  body?: object;
  headers?: Record<string, string>;
}

export function clientOf({ url }: Pick<ServerProcess, 'url'>, key: string): Client {
  return async (method, path, { body, headers } = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
  };
}

export const textPath = '/nb2/text-generations';
export const textPriceMicros = 40_000n;
export const refusedPrompt = 'a fox [[fail:safety_blocked]]';

const mostTries = 20;

/** Sends a request again, as clients do, while the server of a busy machine has no time for it. */
export async function persist(send: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await send();
    if (reply.body.code !== 'overloaded' || tries === mostTries) return reply;
  }
}

export async function createJob(client: Client, prompt: string): Promise<string> {
  const reply = await persist(() => client('POST', textPath, { body: { prompt, aspect_ratio: '1:1' } }));
  if (reply.status !== 202)
    throw new Error(`expected 202, got ${reply.status}: ${JSON.stringify(reply.body)}`);
  return String(reply.body.job_id);
}

export async function finished(client: Client, jobId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body } = await client('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=30' } });
    if (body.status === 'done' || body.status === 'failed') return body;
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}

export async function eachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value);
    }),
  );
}
