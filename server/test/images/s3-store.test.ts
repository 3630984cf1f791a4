import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { StoreError } from '../../src/images/image-store.ts';
import { s3TimeoutsMs } from '../../src/images/s3/s3-client.ts';
import { openS3Store } from '../../src/images/s3/s3-store.ts';
import { listed, listedKeys, putBytes, readBytes, storeConformance } from './conformance.ts';
import { type FaultyServer, s3Credentials, startFaulty, startS3 } from './s3-servers.ts';

const bucket = 'images';
const server = await startS3([bucket]);
after(() => server[Symbol.asyncDispose]());

let opened = 0;
function newPrefix(): string {
  opened += 1;
  return `test/${opened}`;
}

const open = (change: Partial<Parameters<typeof openS3Store>[0]> = {}) =>
  openS3Store({
    bucket,
    prefix: newPrefix(),
    region: 'us-east-1',
    endpoint: server.endpoint,
    credentials: s3Credentials,
    ...change,
  });

storeConformance('s3', open);

test('stores with other prefixes do not see each other, and one without a prefix works', async () => {
  await using whole = await startS3([bucket]);
  const at = (prefix: string) => open({ endpoint: whole.endpoint, prefix });
  const [root, one, oneMore] = [await at(''), await at('one'), await at('one-more')];
  await putBytes(one, 'a.png', Buffer.from('1'));
  await putBytes(oneMore, 'a.png', Buffer.from('22'));
  assert.deepEqual(await listedKeys(one, ''), ['a.png']);
  assert.equal(String(await readBytes(oneMore, 'a.png')), '22');
  assert.deepEqual(await listedKeys(root, ''), ['one-more/a.png', 'one/a.png']);
  for (const store of [root, one, oneMore]) await store[Symbol.asyncDispose]?.();
});

test('wrong credentials are a StoreError that repeats none of them, and are not retried', async () => {
  await using faulty = await startFaulty(server.endpoint);
  const credentials = {
    accessKeyId: 'S3RVER',
    secretAccessKey: 'wrong-secret',
    sessionToken: 'session-token',
  };
  await using store = await disposable(open({ endpoint: faulty.endpoint, credentials }));
  await everyCallFails(store, /denies access.*403 SignatureDoesNotMatch/);
  assert.equal(faulty.requests.length, everyCallCount);
});

test('a bucket that does not exist is a StoreError for every call', async () => {
  await using store = await disposable(open({ bucket: 'none-such' }));
  await everyCallFails(store, /bucket does not exist.*404 NoSuchBucket/);
});

const times = (ms: number) => ({ put: ms, list: ms, other: ms });
/** Long enough for any answer of the server. */
const answerMs = 4_000;
/** Long enough for a request to arrive, if none is answered. */
const arriveMs = 2_000;
const passing: Record<string, FaultyServer['fault']> = {
  '500': (_, answer) => failing(answer, 500),
  '503 SlowDown': (_, answer) => failing(answer, 503, '<Error><Code>SlowDown</Code></Error>'),
  '429': (_, answer) => failing(answer, 429),
  'a reset': (incoming) => {
    incoming.socket.destroy();
    return true;
  },
  'an answer cut in its headers': (incoming) => {
    incoming.socket.end('HTTP/1.1 200 OK\r\ncontent-le');
    return true;
  },
  silence: () => true,
};

describe('a temporary fault is retried, and a lasting one is a StoreError and leaves no partial object', {
  concurrency: true,
}, () => {
  for (const [name, fault] of Object.entries(passing)) {
    test(name, async () => {
      await using faulty = await startFaulty(server.endpoint);
      const timeoutsMs = name === 'silence' ? times(answerMs) : s3TimeoutsMs;
      await using store = await disposable(open({ endpoint: faulty.endpoint, timeoutsMs }));
      const content = Buffer.alloc(100_000, 7);
      // Each silent answer costs a whole time-out; other faults are cheap enough to fail as often as they are retried.
      const failures = name === 'silence' ? 1 : 2;
      faulty.fault = (incoming, answer) => {
        const same = faulty.requests.filter((seen) => seen === faulty.requests.at(-1));
        return same.length <= failures && fault(incoming, answer);
      };
      await store.put('a.png', Readable.from([content]), { mediaType: 'image/png', bytes: content.length });
      const [read, keys] = await Promise.all([readBytes(store, 'a.png'), listedKeys(store, '')]);
      assert.ok(content.equals(read));
      assert.deepEqual(keys, ['a.png']);
      await store.remove('a.png');
      assert.equal(faulty.requests.length, 4 * (failures + 1));

      faulty.fault = fault;
      faulty.requests.length = 0;
      if (name === 'silence') Object.assign(timeoutsMs, times(arriveMs));
      await everyCallFails(store, /the object store (is not|took|cannot)/);
      assert.equal(faulty.requests.length, 3 * everyCallCount);
      faulty.fault = () => false;
      if (name === 'silence') Object.assign(timeoutsMs, times(answerMs));
      assert.deepEqual(await listedKeys(store, ''), []);
    });
  }
});

test('unrequested informational answers change nothing', async () => {
  await using faulty = await startFaulty(server.endpoint);
  await using store = await disposable(open({ endpoint: faulty.endpoint }));
  faulty.fault = (_, answer) => {
    answer.writeContinue();
    answer.writeEarlyHints({ link: '</x>' });
    return false;
  };
  await putBytes(store, 'a.png', Buffer.from('abc'));
  assert.equal(String(await readBytes(store, 'a.png')), 'abc');
  assert.deepEqual(await listedKeys(store, ''), ['a.png']);
  assert.equal(faulty.requests.length, 3);
});

test('an upload that is cut or altered in transit is refused by the store and leaves nothing', async () => {
  await using faulty = await startFaulty();
  await using store = await disposable(open({ endpoint: faulty.endpoint }));
  const signed: (string | undefined)[] = [];
  faulty.fault = (incoming, answer) => {
    signed.push(String(incoming.headers['x-amz-content-sha256']), incoming.headers['content-length']);
    return failing(answer, 400, '<Error><Code>XAmzContentSHA256Mismatch</Code></Error>');
  };
  await assert.rejects(
    putBytes(store, 'a.png', Buffer.from('abc')),
    isStoreError(/400 XAmzContentSHA256Mismatch/),
  );
  assert.deepEqual(signed, ['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', '3']);
});

test('a download that breaks off fails, and never ends as if it were whole', async () => {
  await using faulty = await startFaulty();
  await using store = await disposable(open({ endpoint: faulty.endpoint }));
  faulty.fault = (incoming, answer) => {
    answer.writeHead(200, { 'content-length': '1000' });
    answer.write('half', () => incoming.socket.destroy());
    return true;
  };
  const found = await store.get('a.png');
  assert.equal(found?.bytes, 1000);
  assert.ok(found);
  await assert.rejects(buffer(found.body));
});

test('a download may outlast its call’s time-out for as long as bytes arrive', async (t) => {
  await using faulty = await startFaulty();
  await using store = await disposable(open({ endpoint: faulty.endpoint }));
  const rest = Promise.withResolvers<void>();
  faulty.fault = (_, answer) => {
    answer.writeHead(200, { 'content-length': '2' }).write('x');
    rest.promise.then(() => answer.end('y'));
    return true;
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const found = await store.get('a.png');
  assert.ok(found);
  t.mock.timers.tick(2 * s3TimeoutsMs.other);
  rest.resolve();
  assert.equal(String(await buffer(found.body)), 'xy');
});

test('strange answers are a StoreError, not an object', async () => {
  await using faulty = await startFaulty();
  await using store = await disposable(open({ endpoint: faulty.endpoint }));
  faulty.fault = (_, answer) => failing(answer, 301, '', { 'x-amz-bucket-region': 'eu-west-1' });
  await assert.rejects(store.get('a.png'), isStoreError(/another region: eu-west-1/));
  faulty.fault = (_, answer) => failing(answer, 302, '', { location: 'http://127.0.0.1:1/' });
  await assert.rejects(store.get('a.png'), isStoreError(/302/));
  faulty.fault = (_, answer) => failing(answer, 206, 'part');
  await assert.rejects(store.get('a.png'), isStoreError(/206/));
  faulty.fault = (_, answer) => failing(answer, 404, '<html>no S3 here</html>');
  await assert.rejects(putBytes(store, 'a.png', Buffer.from('x')), StoreError);
  await assert.rejects(listed(store, ''), StoreError);
  // versitygw's answer to an unknown access key.
  faulty.fault = (_, answer) => failing(answer, 404, '<Error><Code>XAdminUserNotFound</Code></Error>');
  await assert.rejects(store.get('a.png'), isStoreError(/404 XAdminUserNotFound/));
  faulty.fault = (_, answer) => failing(answer, 200, '<html>no S3 here</html>');
  await assert.rejects(listed(store, ''), isStoreError(/listing that cannot be read/));
  faulty.fault = (_, answer) =>
    failing(answer, 403, `<Error><Code>${s3Credentials.accessKeyId} 1</Code></Error>`);
  await assert.rejects(store.get('a.png'), isStoreError(/\(403\)$/));
  faulty.fault = (_, answer) => failing(answer, 403, 'x'.repeat(100_000));
  await assert.rejects(store.get('a.png'), StoreError);
});

test('list follows every page once, and leaves out objects that are not ours', async () => {
  await using faulty = await startFaulty();
  await using store = await disposable(open({ endpoint: faulty.endpoint, prefix: 'p' }));
  const pages = [
    page(['p/a.png', 'p/Not Ours &amp; &#x26;', 'p/', 'other/b.png'], 'to&amp;ken+/='),
    page([], 'second'),
    page(['p/c/d.png']),
  ];
  const tokens: (string | null)[] = [];
  faulty.fault = (incoming, answer) => {
    tokens.push(new URL(incoming.url ?? '', faulty.endpoint).searchParams.get('continuation-token'));
    return failing(answer, 200, pages[tokens.length - 1] ?? '');
  };
  assert.deepEqual(await listedKeys(store, ''), ['a.png', 'c/d.png']);
  assert.deepEqual(tokens, [null, 'to&ken+/=', 'second']);
  faulty.fault = (_, answer) => failing(answer, 200, page([], 'same'));
  await assert.rejects(listed(store, ''), isStoreError(/one page for ever/));
});

test('an object over the limit is refused before it is read', async () => {
  await using store = await disposable(open());
  let pulled = false;
  const body = new Readable({
    read() {
      pulled = true;
    },
  });
  const info = { mediaType: 'image/png', bytes: 64 * 1024 * 1024 + 1 };
  await assert.rejects(store.put('a.png', body, info), isStoreError(/at most/));
  assert.ok(body.destroyed && !pulled);
});

const everyCallCount = 4;

async function everyCallFails(store: Awaited<ReturnType<typeof open>>, message: RegExp): Promise<void> {
  const calls = [
    putBytes(store, 'z.png', Buffer.from('x')),
    store.get('z.png'),
    store.remove('z.png'),
    listed(store, ''),
  ];
  assert.equal(calls.length, everyCallCount);
  await Promise.all(calls.map((call) => assert.rejects(call, isStoreError(message))));
}

function failing(
  answer: Parameters<FaultyServer['fault']>[1],
  status: number,
  body = '',
  headers: Record<string, string> = {},
): true {
  // The request is not read, so the connection cannot be used again.
  answer.writeHead(status, { ...headers, connection: 'close' }).end(body);
  return true;
}

function page(keys: string[], next?: string): string {
  const entries = keys.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-11-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`,
  );
  const more =
    next === undefined ? 'false' : `true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken`;
  const end = next === undefined ? '</IsTruncated>' : '>';
  return `<?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>${more}${end}${entries.join('')}</ListBucketResult>`;
}

function isStoreError(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.match(error.message, message);
    for (const secret of ['S3RVER', 'wrong-secret', 'session-token'])
      assert.ok(!error.message.includes(secret));
    return true;
  };
}

/** The contract omits the disposer for stores without connections; S3 stores have some. */
async function disposable(opening: ReturnType<typeof open>) {
  const store = await opening;
  return { ...store, [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose]?.() };
}
