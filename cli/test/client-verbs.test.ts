import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeApi } from '../../sdk/test/fake-api.ts';
import { runDarkroom, startWorld } from './run-darkroom.ts';

test('jobs list shows a table, or what to do when there are no jobs', async () => {
  await using world = await startWorld();
  const empty = await world.run(['jobs', 'list']);
  assert.equal(empty.stdout, '');
  assert.match(empty.stderr, /No jobs yet\. Make one: darkroom generate/);
  await world.run(['generate', 'a fox', '--no-wait', '-r', '2K']);
  const { stdout } = await world.run(['jobs', 'list']);
  assert.match(
    stdout,
    /^JOB +STATUS +MAKE +PRICE +CREATED +PROMPT\n01890000-0000-7000-8000-000000000001 {2}queued {2}nb2 2K 1:1 +0\.04 {2}\d+ (?:s|min) ago {2}a fox\n$/,
  );
  await world.run(['generate', `a\u001b[31m fox\n${'and another '.repeat(40)}`, '--no-wait']);
  const lines = (await world.run(['jobs', 'list'])).stdout.trimEnd().split('\n');
  assert.equal(lines.length, 3);
  assert.match(lines[2] ?? '', /a \[31m fox and another .*…$/);
  for (const line of lines) assert.ok([...line].length <= 120, line);
  const json = JSON.parse((await world.run(['jobs', 'list', '--json'])).stdout);
  assert.equal(json.data.length, 2);
  assert.equal(json.next_cursor, null);
});

test('jobs list passes its filters to the server', async () => {
  await using world = await startWorld();
  await world.run(['jobs', 'list', '-s', 'failed', '-m', 'pro', '-n', '7']);
  assert.equal(world.api.received[0]?.path, '/api/v1/jobs?limit=7&status=failed&model=pro');
});

test('jobs get shows the facts, with the error of a failed job', async () => {
  await using world = await startWorld();
  world.api.outcome = { status: 'failed', error: 'It took too long.', error_code: 'timed_out' };
  await world.run(['generate', 'a fox']);
  const id = world.api.jobs[0]?.job_id ?? '';
  const { stdout } = await world.run(['jobs', 'get', id]);
  assert.match(
    stdout,
    new RegExp(`^job +${id}\\nstatus +failed\\nmake +nb2 1K 1:1, from text\\nprice +0\\.04\\n`),
  );
  assert.match(stdout, /^error +It took too long\. \(timed_out\)$/m);
  assert.equal(JSON.parse((await world.run(['jobs', 'get', id, '--json'])).stdout).status, 'failed');
});

test('jobs wait without -o prints the link, and exits 1 when the job failed', async () => {
  await using world = await startWorld();
  await world.run(['generate', 'a fox', '--no-wait']);
  const id = world.api.jobs[0]?.job_id ?? '';
  assert.equal((await world.run(['jobs', 'wait', id])).stdout, `${world.api.jobs[0]?.result?.image_url}\n`);
  world.api.outcome = { status: 'failed', error: 'No.', error_code: 'internal' };
  await world.run(['generate', 'a fox', '--no-wait']);
  assert.equal((await world.run(['jobs', 'wait', world.api.jobs[1]?.job_id ?? ''])).code, 1);
});

test('jobs cancel cancels a queued job and is refused for one that has ended', async () => {
  await using world = await startWorld();
  await world.run(['generate', 'a fox', '--no-wait']);
  const id = world.api.jobs[0]?.job_id ?? '';
  const cancelled = await world.run(['jobs', 'cancel', id, '--json']);
  assert.equal(JSON.parse(cancelled.stdout).error_code, 'cancelled');
  await world.run(['generate', 'a fox']);
  const done = world.api.jobs[1]?.job_id ?? '';
  const refused = await world.run(['jobs', 'cancel', done]);
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /Only a job that has not ended can be cancelled/);
});

test('jobs delete-image deletes, and says that the job stays', async () => {
  await using world = await startWorld();
  await world.run(['generate', 'a fox']);
  const id = world.api.jobs[0]?.job_id ?? '';
  const { code, stderr } = await world.run(['jobs', 'delete-image', id]);
  assert.deepEqual([code, world.api.jobs[0]?.result?.image_url], [0, undefined]);
  assert.match(stderr, /The job stays/);
  const unknown = await world.run(['jobs', 'delete-image', '0197f8a0-0000-7000-8000-000000000000']);
  assert.match(unknown.stderr, /no such job/);
});

test('balance and models are aligned tables, or one JSON object', async () => {
  await using world = await startWorld();
  assert.equal(
    (await world.run(['balance'])).stdout,
    'balance    10.00\nreserved    0.06  for jobs that have not finished\navailable   9.94  to spend now\n',
  );
  const { stdout } = await world.run(['models']);
  assert.match(stdout, /^nb2 {4}Higher quality {2}paused {2}1K 0\.04 {2}2K 0\.06$/m);
  assert.match(stdout, /^ratios of nb2 {2}1:1 16:9 auto$/m);
  assert.equal(JSON.parse((await world.run(['models', '--json'])).stdout).data.length, 2);
});

test('entries and usage are tables, and pass their filters to the server', async () => {
  await using world = await startWorld();
  const entries = await world.run(['entries', '-k', 'reserve', '-n', '1']);
  assert.match(
    entries.stdout,
    /^KIND +AMOUNT +BALANCE +RESERVED +WRITTEN +FOR\nreserve +0\.06 +10\.00 +0\.06 +2 d ago +01890000-\S+\n$/,
  );
  assert.match(entries.stderr, /More: darkroom entries --cursor abc/);
  const days = await world.run(['usage', '--from', '2026-11-19']);
  assert.match(days.stdout, /^DAY.*\n2026-11-20 +3 +2 +1 +0\.12\ntotal +3 +2 +1 +0\.12\n$/);
  const models = await world.run(['usage', '--by', 'model']);
  assert.match(models.stdout, /^MODEL +NAME +JOBS +COST\nnb2 +Higher quality +3 +0\.12\n$/);
  assert.deepEqual(
    world.api.received.map(({ path }) => path),
    ['/api/v1/entries?limit=1&kind=reserve', '/api/v1/usage?from=2026-11-19', '/api/v1/usage?group_by=model'],
  );
});

test('settings come from the file that the server wrote, in whatever folder the command runs', async () => {
  await using world = await startWorld();
  const data = join(world.folder, 'data');
  await mkdir(data);
  await writeFile(join(data, 'client.json'), JSON.stringify({ url: world.api.url, key: FakeApi.key }));
  const env = { DARKROOM_DATA_DIR: data };
  const outcome = await runDarkroom(['balance', '--json'], { cwd: '/', env });
  assert.equal(outcome.code, 0, outcome.stderr);
});

test('the key can come from a separate file, which must exist', async () => {
  await using world = await startWorld();
  const file = join(world.folder, 'key');
  await writeFile(file, `${FakeApi.key}\n`);
  const env = { DARKROOM_API_KEY: '', DARKROOM_API_KEY_FILE: file };
  assert.equal((await world.run(['balance', '--json'], { env })).code, 0);
  const missing = await world.run(['balance'], { env: { ...env, DARKROOM_API_KEY_FILE: `${file}.none` } });
  assert.match(missing.stderr, /DARKROOM_API_KEY_FILE cannot be read/);
});

test('the key in that file is never sent to another server', async () => {
  await using world = await startWorld();
  await using other = await FakeApi.start();
  const env = { DARKROOM_DATA_DIR: world.folder, DARKROOM_URL: other.url };
  await writeFile(
    join(world.folder, 'client.json'),
    JSON.stringify({ url: world.api.url, key: FakeApi.key }),
  );
  const outcome = await runDarkroom(['balance'], { cwd: world.folder, env });
  assert.equal(outcome.code, 2);
  assert.match(outcome.stderr, /set DARKROOM_API_KEY to a key of that server/);
  assert.equal(other.received.length, 0);
});

test('without settings, or with a broken file, the command says what to do', async () => {
  await using world = await startWorld();
  const env = { DARKROOM_DATA_DIR: world.folder };
  const nothing = await runDarkroom(['balance'], { cwd: world.folder, env });
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /There is no API key.*\n {2}Next: start the server once/);
  await writeFile(join(world.folder, 'client.json'), '{');
  const broken = await runDarkroom(['balance'], { cwd: world.folder, env });
  assert.equal(broken.code, 2);
  assert.match(broken.stderr, /client\.json is not a JSON object/);
});

test('doctor finds what is wrong, says what to do, and exits with its code', async () => {
  await using world = await startWorld();
  const well = await world.run(['doctor']);
  assert.equal(well.code, 0, well.stderr);
  assert.match(
    well.stdout,
    /^✓ settings .*\n✓ server {4}answers in \d+ ms\n✓ version {3}[\d.]+, as the server\n✓ clock .*\n✓ key {7}works, with 9\.94 to spend\n✓ models .*nb/,
  );
  assert.ok(!well.stdout.includes(FakeApi.key));

  world.api.version = '99.0.0';
  const older = await world.run(['doctor']);
  assert.equal(older.code, 0);
  assert.ok(older.stdout.includes(`Next: npm install -g ${world.api.url}/cli.tgz`));

  const date = new Date(Date.now() - 600_000).toUTCString();
  world.api.troubles.push({ status: 200, headers: { date } });
  const skewed = await world.run(['doctor', '--json']);
  assert.equal(skewed.code, 1);
  const { ok, checks } = JSON.parse(skewed.stdout);
  const { found } = checks.find(({ name }: { name: string }) => name === 'clock');
  assert.deepEqual([ok, /^(9|10) min( \d+ s)? ahead of the server$/.test(found)], [false, true], found);

  const refused = await world.run(['doctor'], { env: { DARKROOM_API_KEY: 'dk_wrong' } });
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /✗ key .*not valid/);
  assert.match(refused.stderr, /One check failed\.\n {2}Next: check DARKROOM_API_KEY/);
  const alone = await world.run(['doctor'], { env: { DARKROOM_URL: 'http://127.0.0.1:9' } });
  assert.equal(alone.code, 6);
  assert.match(alone.stdout, /✗ server {4}does not answer/);
});

test('help shows any command, and lists all commands', async () => {
  await using world = await startWorld();
  assert.match((await world.run(['help'])).stdout, /^Usage: darkroom \[options\] \[command\]/);
  assert.match((await world.run(['help', 'jobs', 'list'])).stdout, /^Usage: darkroom jobs list/);
  const unknown = await world.run(['help', 'jobs', 'lost']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no command "jobs lost"\.\n {2}Next: there are: list, get, wait, cancel/);
});

/** Lets a shell complete the words with the script, and prints its suggestions. */
const shells: Record<string, (script: string, words: string[]) => string> = {
  bash: (script, words) =>
    `source ${script}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _darkroom; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, words) =>
    `compdef() { :; }; source ${script}; _describe() { print -rl -- \${(P)2}; }; words=(${words.join(' ')}); CURRENT=${words.length}; _darkroom`,
  fish: (script, words) => `source ${script}; complete -C "${words.join(' ')}"`,
};

for (const [shell, command] of Object.entries(shells)) {
  const skip = spawnSync(shell, ['--version']).status !== 0 && `NOT TESTED: no ${shell}`;
  test(`completion in ${shell} offers the commands and options at the cursor`, { skip }, async () => {
    await using world = await startWorld();
    const script = join(world.folder, 'script');
    await writeFile(script, (await world.run(['completion', shell])).stdout);
    const offered = (...words: string[]) => {
      const { stdout, stderr } = spawnSync(shell, ['-c', command(script, ['darkroom', ...words])], {
        encoding: 'utf8',
      });
      assert.equal(stderr, '');
      return stdout.split('\n').map((line) => line.split(/[:\t]/)[0]);
    };
    assert.ok(offered('gen').includes('generate'));
    assert.ok(offered('jobs', 'l').includes('list'));
    assert.ok(!offered('jobs', 'l').includes('generate'));
    assert.ok(offered('jobs', 'list', '--s').includes('--status'));
    assert.ok(offered('jobs', 'list', '-s', 'failed', '--m').includes('--model'));
  });
}
