import { type Client, sendUntilAnswered } from './client.ts';

const widths = ['256', '768', '1600'] as const;

export async function fetchSmaller(client: Client, token: string, imageUrl: string): Promise<void> {
  const { pathname, search } = new URL(imageUrl);
  // Accepts 404, because the store answers 404 for the new objects that it shows late.
  await sendUntilAnswered(client, {
    name: `smaller image ${pathname}`,
    method: 'GET',
    path: `${pathname}${search}&w=${client.random.pick(widths)}`,
    token,
    final: [404],
  });
}
