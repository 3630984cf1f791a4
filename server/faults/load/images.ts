import { type Client, sendUntilAnswered } from './client.ts';

const widths = ['256', '768', '1600'] as const;

export async function fetchSmaller(client: Client, token: string, imageUrl: string): Promise<void> {
  const { pathname, search } = new URL(imageUrl);
  // 404 is final, because the store shows some new objects late, and answers 404 until then.
  await sendUntilAnswered(client, {
    name: `smaller image ${pathname}`,
    method: 'GET',
    path: `${pathname}${search}&w=${client.random.pick(widths)}`,
    token,
    final: [404],
  });
}
