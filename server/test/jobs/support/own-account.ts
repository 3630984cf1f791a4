import assert from 'node:assert/strict';
import { bearer } from '../../http/support/requests.ts';
import type { World } from '../../world/world.ts';

export async function openOwnAccount(world: World, name: string) {
  const { key, accountId } = await world.account(name, { creditMicros: 10_000_000n });
  const headers = bearer(key);
  return {
    key,
    accountId,
    make: async (fields: object = {}, path = '/nb2/text-generations') => world.create(path, fields, headers),
    finished: (jobId: string) => world.finished(jobId, key),
    send: (method: string, path: string, body?: unknown) => world.send(method, path, { headers, body }),
    async list(query: Record<string, string> = {}): Promise<string[]> {
      const { status, body } = await world.send('GET', `/jobs?${new URLSearchParams(query)}`, { headers });
      assert.equal(status, 200, JSON.stringify(body));
      return (body.data as { job_id: string }[]).map(({ job_id }) => job_id);
    },
  };
}
