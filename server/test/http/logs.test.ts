import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../src/base/std/log.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { until } from '../faults/support/server.ts';
import { Browser, openMember, openOperator, password, tokenOf } from '../panel/browser.ts';
import { photo } from '../uploads/images.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { openWorld, type World } from '../world/world.ts';

function createLeveledLog() {
  const lines: { level: string; text: string }[] = [];
  const write =
    (level: string): Log['info'] =>
    (event, fields = {}) =>
      void lines.push({ level, text: `${event} ${JSON.stringify(fields)}` });
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(write);
  assert.ok(debug && info && warn && error);
  const log: Log = { debug, info, warn, error, enabled: () => true, flush() {} };
  return { log, lines };
}

const secret = 'a secret of thirty-two characters';
const prompt = 'a fox that nobody may read of';

test('no log line of a whole run contains a secret, and only debug lines contain prompts', async () => {
  const { log, lines } = createLeveledLog();
  await using receiver = await startReceiver();
  await using world = await openWorld({
    env: {
      DARKROOM_ALLOW_NETWORKS: receiverNetwork,
      DARKROOM_SECRET: secret,
      OPENAI_API_KEY: 'sk-of-the-upstream',
      DARKROOM_METRICS_TOKEN: 'token-of-prometheus',
    },
    replacements: { log },
  });
  const { secrets, jobId } = await useAll(world, receiver.url);
  await until(async () =>
    lines.some(({ text }) => text.startsWith('delivery.attempted') && text.includes(jobId)),
  );

  for (const event of ['request.finished', 'attempt.finished', 'delivery.attempted'])
    assert.ok(
      lines.some(({ text }) => text.startsWith(event) && text.includes(jobId)),
      event,
    );
  for (const [name, value] of Object.entries(secrets)) {
    assert.ok(value.length > 8, `${name} is ${value}`);
    for (const { text } of lines) assert.ok(!text.includes(value), `${name} in ${text}`);
  }
  for (const { level, text } of lines)
    if (level !== 'debug') assert.ok(!text.includes(prompt), `the prompt in ${text}`);
});

async function useAll(world: World, receiverUrl: string) {
  const upload = await fetch(`${world.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'image/jpeg' },
    body: new Uint8Array(photo),
  });
  const { url } = (await upload.json()) as { url: string };
  const webhook = await world.send('PUT', '/webhooks/default', {
    body: { url: `${receiverUrl}/hook?key=of-the-receiver` },
  });
  const token = await world.send('POST', '/client-tokens', { body: { expires_in: 600 } });
  const request = { prompt, aspect_ratio: '1:1' };
  const created = await world.send('POST', '/nb2/url-generations', {
    body: { ...request, input_images_urls: [url] },
  });
  const jobId = String(created.body.job_id);
  const done = await world.finished(jobId);
  assert.equal(done.status, 'done', JSON.stringify(done));
  const link = (done.result as { image_url: string }).image_url;
  await fetch(link);
  await fetch(link.replace(/.{4}$/, 'xxxx'));
  await world.send('GET', `/jobs?q=${encodeURIComponent(prompt)}`);
  await world.send('GET', '/balance', { headers: { authorization: 'Bearer dk_of_somebody_else' } });

  world.provider.handler = () =>
    Promise.reject(
      new ProviderError('safety_blocked', 'It refused.', { detail: `400: "${prompt}" is not wanted` }),
    );
  const refused = await world.send('POST', '/nb2/text-generations', { body: request });
  await world.finished(String(refused.body.job_id));

  await openOperator(world);
  await openMember(world, { email: 'ada@example.com' });
  await new Browser(world).try('POST /panel/sign-in', {
    body: { email: 'ada@example.com', password: 'a wrong one, ada' },
  });
  const secrets: Record<string, string> = {
    secret,
    upstream: 'sk-of-the-upstream',
    metrics: 'token-of-prometheus',
    key: world.key,
    unknownKey: 'dk_of_somebody_else',
    password,
    wrongPassword: 'a wrong one, ada',
    panelLink: tokenOf(world.app.panelLink ?? ''),
    clientToken: String(token.body.token),
    webhookSecret: String(JSON.stringify(webhook.body).match(/whsec_[^"]+/)?.[0]),
    receiverKey: 'of-the-receiver',
    imageSignature: new URL(link).search.slice(1),
    uploadSignature: new URL(url).search.slice(1) || url,
  };
  return { secrets, jobId };
}
