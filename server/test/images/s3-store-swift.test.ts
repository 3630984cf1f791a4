import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AwsClient } from 'aws4fetch';
import { openS3Store } from '../../src/images/s3/s3-store.ts';
import { listedKeys, putBytes, storeConformance, wholeVersionsConformance } from './conformance.ts';

const python = '/usr/bin/python3';
const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
const region = 'us-east-1';
const bucket = 'images';

if (spawnSync(python, ['-c', 'import swift.obj.mem_server, eventlet']).status === 0) {
  const swift = await startSwift();
  after(swift.stop);
  let opened = 0;
  const open = () => {
    opened += 1;
    return openS3Store({ bucket, prefix: `test/${opened}`, region, endpoint: swift.endpoint, credentials });
  };

  storeConformance('swift', open);
  wholeVersionsConformance('swift', open);

  test('swift: more than a page of objects is listed whole', async () => {
    const store = await open();
    const keys = Array.from({ length: 1_003 }, (_, number) => `inputs/${String(number).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 20) {
      await Promise.all(keys.slice(start, start + 20).map((key) => putBytes(store, key, Buffer.from('x'))));
    }
    assert.deepEqual(await listedKeys(store, 'inputs/'), keys);
    await store[Symbol.asyncDispose]?.();
  });
} else {
  test('swift: a stricter S3 server accepts what we send', (context) => {
    context.skip(
      'NOT TESTED: needs the Debian packages swift-proxy, swift-account, swift-container and swift-object',
    );
  });
}

async function startSwift() {
  const folder = await mkdtemp(join(tmpdir(), 'swift-'));
  const script = join(import.meta.dirname, 'start-swift.py');
  const server = spawn(python, ['-B', script, folder, credentials.accessKeyId, credentials.secretAccessKey], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(server.stdout, 'data');
  const endpoint = `http://127.0.0.1:${Number(String(port))}`;
  const made = await new AwsClient({ ...credentials, region, service: 's3', retries: 0 }).fetch(
    `${endpoint}/${bucket}`,
    {
      method: 'PUT',
    },
  );
  assert.equal(made.status, 200, await made.text());
  return {
    endpoint,
    async stop() {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
