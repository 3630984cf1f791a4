import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { s3Credentials, startS3 } from '../images/s3-servers.ts';
import { type End, runServerProcess } from './support/server-process.ts';

describe('a wrong setting stops the start with one sentence that names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-settings-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'config.json');
  await writeFile(config, '{ "limits": { "concurency": 4 } }');

  // One of each kind of refusal; readConfig's own tests cover the rest.
  const wrong: Record<string, string>[] = [
    { PORT: 'abc' },
    { DATABASE_URL: 'mysql://localhost/darkroom' },
    { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/darkroom' },
    { DATABASE_URL: 'postgres://somebody:half#secret@127.0.0.1:1/darkroom' },
    { DATABASE_URL: 'postgres://one.invalid,two.invalid/darkroom?target_session_attrs=standby' },
    { DARKROOM_STORAGE: `disk:${config}` },
    // The second setting keeps the test away from the metadata service of this machine.
    { DARKROOM_STORAGE: 's3://bucket', AWS_EC2_METADATA_DISABLED: 'true' },
    { OPENAI_BASE_URL: 'images.example.com' },
    { GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'missing.json') },
    { DARKROOM_OIDC_ISSUER: 'https://id.example.com' },
    { DARKROOM_SECRET: 'short' },
    { DARKROOM_CONFIG: config },
    { HOST: 'no.such.host.invalid' },
    { DARKROOM_DATA_DIR: config },
  ];
  for (const env of wrong) {
    const [[name, value] = ['', '']] = Object.entries(env);
    test(`${name}=${value.replace(folder, '…')}`, async () => {
      const end = await runServerProcess({ DARKROOM_DATA_DIR: folder, ...env });
      assertRefused(end, name);
      if (value === config && name === 'DARKROOM_CONFIG') assert.match(end.stderr, /limits.*concurency/);
    });
  }

  test('a bucket that does not exist, and a key that may not write', async () => {
    await using s3 = await startS3(['images']);
    const start = (bucket: string, secretAccessKey: string) =>
      runServerProcess({
        DARKROOM_DATA_DIR: folder,
        DARKROOM_STORAGE: `s3://${bucket}?endpoint=${s3.endpoint}`,
        AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      });
    for (const end of [await start('others', 'S3RVER'), await start('images', 'wrong')])
      assertRefused(end, 'DARKROOM_STORAGE');
  });

  test('--role=boss', async () => {
    assertRefused(await runServerProcess({ DARKROOM_DATA_DIR: folder }, ['--role', 'boss']), '--role');
  });

  test('a PORT that another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? String(address.port) : '';
    try {
      const end = await runServerProcess({ DARKROOM_DATA_DIR: folder, PORT: port });
      assertRefused(end, 'PORT');
      assert.ok(end.stderr.includes(port));
    } finally {
      other.close();
    }
  });
});

test('a defect of the program itself stops the start with its stack', async () => {
  const broken = 'data:text/javascript,globalThis.AsyncDisposableStack = undefined';
  const end = await runServerProcess({ NODE_OPTIONS: `--import "${broken}"` });
  assert.equal(end.code, 1);
  assert.match(end.stderr, /^Darkroom cannot start: TypeError: .*\n +at startApp /);
});

function assertRefused({ code, stderr }: End, name: string): void {
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^Darkroom cannot start: [^\n]+\n$/, 'one line, no stack');
  assert.ok(stderr.includes(name), stderr);
}
