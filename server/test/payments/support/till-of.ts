import assert from 'node:assert/strict';
import type { startStripe } from '../../emulators/stripe.ts';
import { bearer } from '../../http/support/requests.ts';
import type { World } from '../../world/world.ts';

export function tillOf(stripe: Awaited<ReturnType<typeof startStripe>>, world: World) {
  /** Sends an event as Stripe does, which would repeat it after 500 and 503. */
  async function tell(event: object, { url = world.url, stripe: from = stripe } = {}): Promise<number> {
    const { headers, body } = from.signed({ ...event });
    const response = await fetch(`${url}/payments/stripe`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  async function open(amount: string, key: string, { in: where = world }: { in?: World } = {}) {
    const { status, body } = await where.send('POST', '/payments', {
      body: { amount },
      headers: bearer(key),
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body as { payment_id: string; url: string };
  }

  async function balanceOf(key: string, where: World = world) {
    return (await where.send('GET', '/balance', { headers: bearer(key) })).body as {
      balance: string;
      available: string;
      debt?: string;
    };
  }

  async function entriesOf(key: string) {
    const { data } = (await world.send('GET', '/entries?limit=100', { headers: bearer(key) })).body;
    return (
      data as { kind: string; amount: string; reason: string; reference: string | null }[]
    ).toReversed();
  }

  async function tellAll(from = 0): Promise<void> {
    for (const event of stripe.events.slice(from)) assert.equal(await tell(event), 204);
  }

  return { tell, open, balanceOf, entriesOf, tellAll };
}
