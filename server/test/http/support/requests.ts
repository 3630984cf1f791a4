import type { Reply, World } from '../../world/world.ts';

export const textBody = { prompt: 'a fox', aspect_ratio: '1:1' };

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export function postText(world: World, fields: object = {}, headers: Record<string, string> = {}) {
  return world.send('POST', '/nb2/text-generations', { body: { ...textBody, ...fields }, headers });
}

export async function postBytes(
  world: World,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Reply> {
  const response = await fetch(`${world.url}/api/v1/nb2/text-generations`, {
    method: 'POST',
    headers: { ...bearer(world.key), ...headers },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** Repeats a request until its answer passes the check; for changes that take effect after a moment. */
export async function eventually<T>(ask: () => Promise<T>, satisfies: (answer: T) => boolean): Promise<T> {
  for (const giveUpAt = performance.now() + patienceMs; ; ) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (performance.now() > giveUpAt) throw new Error(`still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

const patienceMs = 30_000;
const askAgainMs = 20;
