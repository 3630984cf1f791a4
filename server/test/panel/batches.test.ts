import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { openMember } from './browser.ts';
import { email } from './support/member.ts';

test('batches are listed with their first images, each with its own', async () => {
  await using world = await openWorld();
  const member = await openMember(world, { email });
  const create = async (name: string, prompts: string[]) => {
    const requests = prompts.map((prompt) => ({
      ...{ model: 'nb2', mode: 'text' },
      body: { prompt, aspect_ratio: '1:1' },
    }));
    const { body } = await world.send('POST', '/batches', { body: { name, requests } });
    return String(body.batch_id);
  };
  const isDone = async (id: string) => (await world.send('GET', `/batches/${id}`)).body.status === 'done';
  for (const id of [
    await create('animals', ['a fox', 'a hare', 'an owl', 'a bat', 'a cat']),
    await create('sea', ['a boat']),
  ])
    while (!(await isDone(id)));
  const { data } = await member.call('GET /panel/accounts/:account_id/batches');
  assert.deepEqual(
    data.map(({ name, first_jobs }) => [name, first_jobs.map(({ prompt }) => prompt)]),
    [
      ['sea', ['a boat']],
      ['animals', ['a fox', 'a hare', 'an owl', 'a bat']],
    ],
  );
  const [boat] = data[0]?.first_jobs ?? [];
  assert.equal((await fetch(boat?.result?.image_url ?? '')).status, 200);

  const { accountId } = await world.account('other');
  const stranger = await openMember(world, { email: 'eve@example.com', accountId });
  assert.deepEqual(
    (await stranger.call('GET /panel/accounts/:account_id/batches', { params: { account_id: accountId } }))
      .data,
    [],
  );
});
