import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readMarkdown } from '../../src/web/api/docs/markdown.ts';
import { geminiKey, startGemini } from '../emulators/gemini.ts';
import { type FaultyServer, s3Credentials, startFaulty, startS3 } from '../images/s3-servers.ts';
import { runCommand } from '../processes/support/run-command.ts';
import { createDatabase } from '../world/databases.ts';
import { freePort } from '../world/free-port.ts';
import { openFolder } from './support/open-folder.ts';
import { shell, shellEnv } from './support/shell.ts';

// Runs docs/start/operator.md, command by command in its order, on a machine that has what the tutorial requires: an
// empty PostgreSQL database, an empty bucket, and a vendor (an emulator of Gemini).
const root = join(import.meta.dirname, '../../..');
const [settings = '', start = '', use = '', ...others] = readMarkdown(
  readFileSync(join(root, 'docs/start/operator.md'), 'utf8'),
).flatMap((block) => (block.kind === 'code' ? [block.code] : []));

suite('the tutorial for operators', {
  skip: !process.env.TEST_DATABASE_URL && 'NOT TESTED: it asks for PostgreSQL',
}, () => {
  const stack = new AsyncDisposableStack();
  let folder: string;
  let bucket: FaultyServer;
  let gemini: Awaited<ReturnType<typeof startGemini>>;
  let url: string;
  /** The environment variables of the reader's terminal. */
  let env: Record<string, string>;
  before(async () => {
    folder = stack.use(await openFolder()).path;
    bucket = stack.use(await startFaulty(stack.use(await startS3(['images'])).endpoint));
    gemini = stack.use(await startGemini());
    Object.assign(gemini.size, { width: 1024, height: 1024 });
    const database = (await createDatabase({ empty: true })) ?? assert.fail();
    stack.defer(() => database.drop());
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    const own = { PORT: port, DARKROOM_DATA_DIR: join(folder, 'data'), GEMINI_BASE_URL: gemini.url };
    const filled = settings
      .replace('postgres://darkroom:password@db.internal:5432/darkroom', database.url)
      .replace("eu-central-1'", `us-east-1&endpoint=${bucket.endpoint}'`)
      .replace('AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${s3Credentials.accessKeyId}`)
      .replace('AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${s3Credentials.secretAccessKey}`)
      .replace('https://images.example.com', url)
      .replace('GEMINI_API_KEY=…', `GEMINI_API_KEY=${geminiKey}`);
    assert.doesNotMatch(filled.replaceAll(/#.*$/gm, ''), /…|example/, 'all of it is filled in');
    env = { ...own, ...(await shellEnv(filled)) };
  });
  after(() => stack.disposeAsync());

  test('contains the commands that these tests run', () => {
    assert.deepEqual(others, []);
    assert.match(start, /^npx darkroom doctor .*\nnpm start$/);
  });

  test('doctor finds nothing wrong before the first start', async () => {
    const said = await shell(start.replace('\nnpm start', ''), folder, env);
    assert.doesNotMatch(said, /^✗/m);
    for (const name of ['settings', 'database', 'images', 'connection gemini'])
      assert.match(said, new RegExp(`^. ${name} `, 'm'));
  });

  test('the first start creates the tables, says where the panel link is, and answers', async () => {
    const { child, gone } = await runCommand({ env }, ['npm', 'start'], { HOME: folder });
    stack.defer(async () => {
      child.kill('SIGTERM');
      await gone;
    });
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const link = await readFile(join(folder, 'data/panel-link.txt'), 'utf8');
    assert.equal((await fetch(link.trim(), { headers: { accept: 'text/html' } })).status, 200);
  });

  test('an account and a key make an image, which is kept in the bucket', async () => {
    const said = await shell(`${use}\nnpx darkroom balance --json`, folder, env);
    const image = await readFile(join(folder, 'out.png'));
    assert.deepEqual(
      [image.readUInt32BE(16), gemini.of('generate').length + gemini.of('interact').length],
      [1024, 1],
    );
    assert.ok(
      bucket.requests.some((one) => /^PUT \/images\/darkroom\/.*\.png/.test(one)),
      bucket.requests.join(),
    );
    assert.equal(existsSync(join(folder, 'data/images')), false);
    assert.match(said, /"balance": ?"49\.96"/);
  });

  test('all checks pass afterwards, and the running server is healthy', async () => {
    await shell('npx darkroom verify; npx darkroom doctor', folder, env);
  });
});
