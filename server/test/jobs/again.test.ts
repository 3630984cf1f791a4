import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, textBody } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

test('a job is made again by keys and by people: once per Idempotency-Key, and only with models that the key may use', async () => {
  await using world = await openWorld({ worker: false });
  const { accountId, key } = await world.account('narrow', { creditMicros: 1_000_000n, models: ['nb'] });
  const member = await openMember(world, { email: 'again@example.com', accountId });
  const make = (model: string) =>
    member.call('POST /api/v1/:model/text-generations', {
      params: { account_id: accountId, model },
      body: textBody,
    });
  const [ofNb, ofNb2] = [await make('nb'), await make('nb2')];
  const again = (jobId: string, headers = {}) =>
    world.send('POST', `/jobs/${jobId}/again`, { headers: { ...bearer(key), ...headers } });

  const once = { 'idempotency-key': 'once' };
  const first = await again(ofNb.job_id, once);
  assert.deepEqual(
    [first.status, first.headers.get('location')],
    [202, `/api/v1/jobs/${first.body.job_id}`],
    JSON.stringify(first.body),
  );
  const repeated = await again(ofNb.job_id, once);
  assert.deepEqual([repeated.body, repeated.headers.get('idempotent-replayed')], [first.body, 'true']);
  assertProblem(await again(ofNb2.job_id), 403, 'model_forbidden');
  assertProblem(await again(ofNb.job_id, bearer(world.key)), 404, 'not_found');
  const { job_id } = await member.call('POST /api/v1/jobs/:job_id/again', {
    params: { account_id: accountId, job_id: ofNb2.job_id },
  });
  const { data } = (await world.send('GET', '/jobs?key_id=panel', { headers: bearer(key) })).body;
  assert.deepEqual(
    (data as { job_id: string }[]).map((job) => job.job_id),
    [job_id, ofNb2.job_id, ofNb.job_id],
    'what people make is known as made in the panel',
  );
});
