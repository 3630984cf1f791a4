import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { makeAuthority } from '../inputs/support/certificates.ts';
import { startDnsServer } from '../inputs/support/dns-server.ts';
import { startSecureStranger } from '../inputs/support/strangers.ts';
import { answerWith, type Receiver, receiverAddress, startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

// All tests share one world: each has its own receiver (or name) and checks its own delivery.
let world: WebhookWorld;
const dns = await startDnsServer((name, type, nth) => {
  if (name === 'nowhere.test') return 'nxdomain';
  const addresses =
    name === 'private.test'
      ? ['10.1.2.3']
      : name === 'mixed.test'
        ? [receiverAddress, '10.1.2.3']
        : [nth % 2 === 1 ? receiverAddress : '127.0.0.1'];
  return { addresses: type === 'A' ? addresses : [] };
});
before(async () => {
  world = await openWebhookWorld({ dnsServers: [dns.address] });
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

async function firstAttempt(url: string) {
  const jobId = await world.failJob({ callback_url: url });
  return until(jobId, (delivery) => delivery.attempts.length >= 1);
}

type Found = Awaited<ReturnType<WebhookWorld['deliveries']>>[number];

async function until(jobId: string, matches: (delivery: Found) => boolean): Promise<Found> {
  const find = async () => (await world.deliveries()).find((delivery) => delivery.jobId === jobId);
  for (;;) {
    const delivery = await find();
    // Reads again, because attempts are read after their deliveries, and both may have been written in between.
    if (delivery && matches(delivery)) return (await find()) ?? delivery;
    await world.nextAttempt();
  }
}

async function withReceiver<T>(
  answer: Receiver['answer'],
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  await using receiver = await startReceiver();
  receiver.answer = answer;
  return await work(receiver);
}

const createWith = (callbackUrl: string) =>
  world.world.send('POST', '/nb2/text-generations', {
    body: { prompt: 'a fox', aspect_ratio: '1:1', callback_url: callbackUrl },
  });

test('a receiver that sends an unrequested `100 Continue` gets its deliveries, even on one connection', async () => {
  const continuing: Receiver['answer'] = (response) => {
    response.writeContinue();
    response.writeHead(204).end();
  };
  await withReceiver(continuing, async ({ url }) => {
    for (let nth = 0; nth < 2; nth += 1) assert.equal((await firstAttempt(url)).status, 'delivered');
  });
});

test('anything but an absolute http or https URL is refused when the job is created', async () => {
  const urls = [
    'ftp://example.com/',
    'javascript:alert(1)',
    'http://',
    '/hook',
    'hook',
    `https://example.com/${'x'.repeat(2_040)}`,
  ];
  for (const url of urls) {
    const { status, body } = await createWith(url);
    assert.equal(status, 422, url.slice(0, 40));
    assert.deepEqual((body.errors as { pointer: string }[])[0]?.pointer, '/callback_url');
  }
});

test('literal private and metadata addresses are refused when the job is created, in every spelling', async () => {
  const hosts = [
    '127.0.0.1',
    '0',
    '2130706433',
    '0177.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '169.254.169.254',
    'metadata.google.internal',
    '100.100.100.200',
    '10.0.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '224.0.0.1',
  ];
  for (const host of hosts) assert.equal((await createWith(`http://${host}/hook`)).status, 422, host);
});

test('credentials in the URL are refused when the job is created', async () => {
  assert.equal((await createWith('https://user:pass@example.com/hook')).status, 422);
});

test('our own API is refused when the job is created', async () => {
  assert.equal((await createWith(`${world.world.url}/api/v1/text-generations`)).status, 422);
});

test('a name that resolves to a private address is blocked when it is called, and tried again only on schedule', async () => {
  await using _held = await world.world.hold(); // without this, a slow machine may reach the next attempt
  for (const name of ['private.test', 'mixed.test']) {
    const delivery = await firstAttempt(`http://${name}/hook`);
    assert.deepEqual(
      [delivery.status, delivery.failure, delivery.attempts.length],
      ['pending', 'blocked_address', 1],
    );
    assert((delivery.nextAttemptAt ?? 0) >= (delivery.attempts[0]?.at ?? 0) + 4_500);
  }
});

test('an unknown name is dns_failed', async () => {
  assert.equal((await firstAttempt('http://nowhere.test/hook')).failure, 'dns_failed');
});

test('a name that resolves differently between attempts is blocked at the connection', async () => {
  await using receiver = await startReceiver();
  receiver.answer = answerWith(500, { connection: 'close' });
  const first = await firstAttempt(`http://rebound.test:${receiver.port}/hook`);
  assert.equal(first.failure, 'status');
  await world.makeDue();
  const second = await until(first.jobId ?? '', ({ attempts }) => attempts.length === 2);
  assert.equal(second.failure, 'blocked_address');
  assert.equal(receiver.received.length, 1);
});

test('redirects are failures and are not followed', async () => {
  await using target = await startReceiver();
  for (const status of [301, 302, 303, 307, 308]) {
    await withReceiver(answerWith(status, { location: target.url }), async ({ url }) => {
      const { failure, attempts } = await firstAttempt(url);
      assert.deepEqual([failure, attempts[0]?.status], ['redirected', status]);
    });
  }
  assert.equal(target.received.length, 0);
});

test('410 ends the delivery to a callback URL at once', async () => {
  await withReceiver(answerWith(410), async ({ url }) => {
    const delivery = await firstAttempt(url);
    assert.deepEqual([delivery.status, delivery.failure], ['failed', 'gone']);
  });
});

test('5xx, a reset connection and a broken certificate are failures that are tried again on schedule', async () => {
  await using _held = await world.world.hold(); // without this, the wait includes the time until it is recorded
  const isScheduled = ({ status, nextAttemptAt, attempts: [first] }: Found) => {
    const wait = (nextAttemptAt ?? 0) - (first?.at ?? 0) - (first?.durationMs ?? 0);
    return status === 'pending' && wait >= 4_500 && wait <= 5_500;
  };
  for (const status of [500, 502, 504]) {
    await withReceiver(answerWith(status, {}, 'no'), async ({ url }) => {
      const delivery = await firstAttempt(url);
      assert.equal(delivery.failure, 'status');
      assert.deepEqual([delivery.attempts[0]?.status, delivery.attempts[0]?.answer], [status, 'no']);
      assert(isScheduled(delivery));
    });
  }
  await withReceiver(
    (response) => response.socket?.resetAndDestroy(),
    async ({ url }) => {
      const delivery = await firstAttempt(url);
      assert.equal(delivery.failure, 'connection_lost');
      assert(isScheduled(delivery));
    },
  );
  await using secure = await startSecureStranger(
    makeAuthority().issue('receiver.test'),
    (_request, response) => response.end(),
  );
  assert.equal((await firstAttempt(`${secure.origin}/hook`)).failure, 'tls_failed');
});

test('a port without a listener is connect_refused', async () => {
  const closed = await startReceiver();
  await closed[Symbol.asyncDispose]();
  assert.equal((await firstAttempt(closed.url)).failure, 'connect_refused');
});

test('an answer that is not HTTP is invalid_response, endless headers are response_too_large', async () => {
  const answers = [
    ['SSH-2.0-OpenSSH_9.9\r\n\r\n', 'invalid_response'],
    [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`, 'response_too_large'],
  ] as const;
  for (const [text, word] of answers) {
    const server = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end(text)),
    );
    server.listen(0, receiverAddress);
    await once(server, 'listening');
    const address = server.address();
    assert(address !== null && typeof address === 'object');
    const { failure } = await firstAttempt(`http://${receiverAddress}:${address.port}/hook`).finally(() =>
      server.close(),
    );
    assert.equal(failure, word);
  }
});

test('of an endless answer at most 64 KiB are read and 2 KiB kept; a 2xx status counts as delivered', async () => {
  let written = 0;
  const pour: Receiver['answer'] = (response) => {
    response.writeHead(200, { 'content-length': 1_000_000_000 });
    const more = () => {
      while (!response.destroyed && written < 1_000_000_000) {
        written += 16_384;
        if (!response.write(Buffer.alloc(16_384, 'y'))) return void response.once('drain', more);
      }
    };
    more();
  };
  await withReceiver(pour, async ({ url }) => {
    const delivery = await firstAttempt(url);
    assert.equal(delivery.status, 'delivered');
    assert.equal(delivery.attempts[0]?.answer, 'y'.repeat(2_048));
    // The remaining bytes filled the buffers of the two sockets.
    assert(written < 16_000_000, String(written));
  });
});

test('a NUL in the answer is kept as a replacement character', async () => {
  await withReceiver(answerWith(200, {}, 'a\0b'), async ({ url }) => {
    assert.equal((await firstAttempt(url)).attempts[0]?.answer, 'a\ufffdb');
  });
});

test('a receiver that commits and drops the connection gets the same webhook-id again', async () => {
  const answer: Receiver['answer'] = (response, _received, nth) =>
    nth === 1 ? response.socket?.destroy() : answerWith(204)(response, _received, nth);
  await withReceiver(answer, async (receiver) => {
    const first = await firstAttempt(receiver.url);
    assert.equal(first.failure, 'connection_lost');
    await world.makeDue();
    const ended = await until(first.jobId ?? '', ({ status }) => status === 'delivered');
    assert.deepEqual(
      ended.attempts.map(({ failure }) => failure),
      ['connection_lost', null],
    );
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids, [ended.eventId, ended.eventId]);
  });
});

test('line breaks in the URL do not add headers', async () => {
  await using receiver = await startReceiver();
  const delivery = await firstAttempt(`${receiver.url}/%0d%0aX-Injected:%20yes`);
  assert.equal(delivery.status, 'delivered');
  assert.equal(receiver.received.length, 1);
  assert.equal(receiver.received[0]?.headers['x-injected'], undefined);
  assert.equal(receiver.received[0]?.path, '/hook/%0d%0aX-Injected:%20yes');
});
