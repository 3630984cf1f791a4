import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOnly, readCurlRequest } from '../../src/web/api/reference/curl-request.ts';
import { type ApiDeps, apiRows } from '../../src/web/api/table.ts';

test('a curl sample is read as a shell reads it, and only if it can be sent unchanged', () => {
  assert.deepEqual(
    readCurlRequest(`export DARKROOM_URL="http://127.0.0.1:3000"

curl "$DARKROOM_URL/api/v1/nb2/text-generations" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY" \\
  -H "Idempotency-Key: $(uuidgen)" -H "Prefer: wait=30" \\
  -d '{"prompt": "it'\\''s dusk"}'`),
    {
      method: 'POST',
      path: '/api/v1/nb2/text-generations',
      body: '{"prompt": "it\'s dusk"}',
      prefer: 'wait=30',
      isKeyed: true,
    },
  );
  assert.deepEqual(readCurlRequest('curl -sS http://127.0.0.1:3000/api/v1/balance'), {
    method: 'GET',
    path: '/api/v1/balance',
  });
  for (const [code, why] of [
    ['curl https://elsewhere.example/api/v1/balance', 'another server'],
    ['curl "$DARKROOM_URL/admin/v1/accounts"', 'another API'],
    ['curl "$DARKROOM_URL/api/v1/jobs/$JOB_ID"', 'a job is missing'],
    [`curl "$DARKROOM_URL/api/v1/vouchers/redeem" -d '{"code": "…"}'`, 'a code is missing'],
    ['curl "$DARKROOM_URL/api/v1/uploads" --data-binary @photo.jpg', 'a file is missing'],
    ['curl "$DARKROOM_URL/api/v1/jobs" | jq .', 'another command'],
    ['curl "$DARKROOM_URL/api/v1/events?limit=20"', 'keys alone'],
    ['darkroom balance', 'no curl'],
  ] as const)
    assert.equal(readCurlRequest(code), undefined, why);
});

test('samples can run if the table of calls admits sessions', () => {
  const rows = apiRows(new Proxy({}, { get: () => () => undefined }) as unknown as ApiDeps); // the calls are described, not made
  const closed = rows.filter(({ right }) => right === null).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(closed.sort(), [...keysOnly].sort());
});
