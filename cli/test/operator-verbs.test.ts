import assert from 'node:assert/strict';
import { mkdtemp, mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { operate } from './operate.ts';

const accountId = '01890000-0000-7000-8000-00000000aaaa';
const keyId = '01890000-0000-7000-8000-00000000bbbb';
test('account create passes its options on and prints the JSON that scripts rely on', async () => {
  const args = [
    'account',
    'create',
    'shop',
    '--credit',
    '10',
    '--webhook',
    'https://example.com/hook',
    '--json',
  ];
  const { code, stdout, stderr, calls } = await operate(args);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  const printed = JSON.parse(stdout);
  assert.deepEqual([printed.account_id, printed.name, printed.balance], [accountId, 'shop', '10.00']);
  assert.deepEqual(calls, [
    ['createAccount', { name: 'shop', credit: '10', webhook: 'https://example.com/hook' }],
    ['close', null],
  ]);
});

test('account create prints the id on stdout and the next step on stderr', async () => {
  const { stdout, stderr } = await operate(['account', 'create', 'shop']);
  assert.equal(stdout, `${accountId}\n`);
  assert.match(stderr, new RegExp(`darkroom key create --account ${accountId}`));
});

test('account list is an aligned table; without accounts it says how to create one', async () => {
  const { stdout } = await operate(['account', 'list']);
  assert.equal(
    stdout,
    'ACCOUNT                               NAME  BALANCE  RESERVED  AVAILABLE\n' +
      `${accountId}  demo    10.00      0.06       9.94\n`,
  );
  const empty = await operate(['account', 'list'], { FAKE_EMPTY: '1' });
  assert.match(empty.stderr, /No accounts yet\. Make one: darkroom account create/);
  assert.equal(JSON.parse((await operate(['account', 'list', '--json'])).stdout).data.length, 1);
});

test('names cannot send commands to a terminal or reverse its text', async () => {
  const name = '\u001b]52;c;ZXZpbA==\u0007\u202eop\u009b8m\r\u001b[8m\nx';
  const shown = '�]52;c;ZXZpbA==��op�8m��[8m x';
  const { stdout } = await operate(['account', 'list'], { FAKE_NAME: name });
  assert.match(stdout, new RegExp(`^${accountId}  ${RegExp.escape(shown)} {2,}10.00 `, 'm'));
  const { stderr } = await operate(['account', 'create', name], { FAKE_NAME: name });
  assert.ok(stderr.startsWith(`Account ${shown.replace(' ', '\n')} with`), JSON.stringify(stderr));
  const black = await operate(['account', 'list'], { FAKE_NAME: 'x\u001b[30m' });
  assert.match(black.stdout, / {2}x�\[30m {2}/, 'nor colours');
});

test('JSON escapes what a terminal would not show, and a table for programs leaves it unchanged', async () => {
  const name = '\u202eop\u200f\u009b8m\u007f שלום';
  const { stdout } = await operate(['account', 'list', '--json'], { FAKE_NAME: name });
  assert.ok(stdout.includes('"\\u202eop\\u200f\\u009b8m\\u007f שלום"'), stdout);
  assert.equal(JSON.parse(stdout).data[0].name, name);
  const table = await operate(['account', 'statement', 'demo', '2026-10', '--csv'], { FAKE_NAME: name });
  assert.ok(table.stdout.includes(name), table.stdout);
});

test('account credit passes the amount on as written', async () => {
  const { code, stderr, calls } = await operate([
    'account',
    'credit',
    'demo',
    '0.05',
    '--reason',
    'invoice 7',
  ]);
  assert.equal(code, 0);
  assert.match(stderr, /Account demo now has a balance of 10\.00\. Entry ent_7\./);
  assert.deepEqual(calls[0], ['creditAccount', { account: 'demo', amount: '0.05', reason: 'invoice 7' }]);
});

test('key create prints the JSON that scripts rely on', async () => {
  const { stdout, calls } = await operate([
    ...[
      'key',
      'create',
      '--account',
      'demo',
      '--name',
      'ci',
      '--models',
      'nb,nb2',
      '--expires',
      '90d',
      '--json',
    ],
  ]);
  const printed = JSON.parse(stdout);
  assert.deepEqual(
    [printed.key, printed.key_id, printed.account_id, printed.models],
    ['dk_secret', keyId, accountId, ['nb', 'nb2']],
  );
  assert.deepEqual(calls[0], [
    'createKey',
    { account: 'demo', name: 'ci', models: ['nb', 'nb2'], expires_in: 7_776_000, limits: {} },
  ]);
});

test('key create takes limits and networks; limits are shown, changed and removed', async () => {
  const options = [
    '--spend-day',
    '5',
    '--spend-total',
    '100',
    '--max-open',
    '20',
    '--rate',
    '10/s',
    '--rate',
    '300/m',
  ];
  const created = await operate([
    'key',
    'create',
    '--account',
    'demo',
    ...options,
    '--allow-ip',
    '203.0.113.0/24, ::1',
  ]);
  assert.deepEqual(created.calls[0], [
    'createKey',
    {
      account: 'demo',
      networks: ['203.0.113.0/24', '::1'],
      limits: { spend_day: '5', spend_total: '100', open: 20, requests_second: 10, requests_minute: 300 },
    },
  ]);
  const shown = await operate(['account', 'limits', 'demo']);
  assert.deepEqual(shown.calls, [['close', null]]);
  assert.match(shown.stdout, /^LIMIT {6}USED {4}OF {2}RESETS AT\nspend_day {2}0\.04 {2}5\.00 {2}\d{4}-/);
  const changed = await operate(['key', 'limits', keyId, '--spend-day', 'none', '--rate', 'none', '--json']);
  assert.deepEqual(changed.calls[0], [
    'changeKeyLimits',
    { keyId, changes: { spend_day: null, requests_second: null, requests_minute: null } },
  ]);
  assert.equal(JSON.parse(changed.stdout).data[0].limit, 'spend_day');
  for (const wrong of [
    ['--rate', '10'],
    ['--max-open', '0'],
  ])
    assert.equal((await operate(['account', 'limits', 'demo', ...wrong])).code, 2, wrong.join(' '));
});

test('key networks are changed and removed', async () => {
  const changed = await operate(['key', 'networks', keyId, '203.0.113.0/24, ::1']);
  assert.deepEqual(changed.calls[0], ['changeKey', { key: keyId, networks: ['203.0.113.0/24', '::1'] }]);
  assert.match(changed.stderr, /may be used from 203\.0\.113\.0\/24, ::1\./);
  const any = await operate(['key', 'networks', keyId, 'any', '--json']);
  assert.deepEqual(any.calls[0], ['changeKey', { key: keyId, networks: null }]);
  assert.equal(JSON.parse(any.stdout).networks, null);
});

test('key create prints only the key on stdout', async () => {
  const { stdout, stderr } = await operate(['key', 'create', '--account', 'demo']);
  assert.equal(stdout, 'dk_secret\n');
  assert.match(stderr, /for every model\.\nIt cannot be shown again/);
});

test('key list distinguishes active and disabled keys, of one account or of all', async () => {
  const { stdout, calls } = await operate(['key', 'list', '--account', 'demo']);
  assert.match(stdout, new RegExp(`^${keyId}  ci    dk_…Z012  active    nb      never$`, 'm'));
  assert.match(stdout, /disabled {2}all {5}never$/m);
  assert.deepEqual(calls[0], ['listKeys', { account: 'demo', limit: 100 }]);
  assert.match((await operate(['key', 'list'])).stdout, new RegExp(`LAST USED  ACCOUNT\n.*${accountId}\n`));
});

test('key disable, pause and resume say what they did', async () => {
  const disabled = await operate(['key', 'disable', keyId]);
  assert.deepEqual(disabled.calls[0], ['disableKey', keyId]);
  const paused = await operate(['pause', 'pro', '--reason', 'provider is down', '--for', '1h']);
  assert.deepEqual(paused.calls[0], ['pause', { scope: 'pro', reason: 'provider is down', for: 3_600 }]);
  assert.match(paused.stderr, /Model pro is paused for 1 h/);
  const all = await operate(['pause']);
  assert.deepEqual(all.calls[0], ['pause', { scope: 'project' }]);
  assert.match(all.stderr, /Everything is paused until: darkroom resume$/m);
  assert.equal((await operate(['pause', 'project'])).stderr, all.stderr);
  const account = await operate(['pause', accountId]);
  const until = `Account ${accountId} is paused until: darkroom resume ${accountId}`;
  assert.ok(account.stderr.includes(until), account.stderr);
  const continued = await operate(['resume', accountId]);
  assert.ok(continued.stderr.includes(`Account ${accountId} is not paused.`), continued.stderr);
  const resumed = await operate(['resume', 'pro', '--json']);
  assert.deepEqual(resumed.calls[0], ['resume', 'pro']);
  assert.deepEqual(JSON.parse(resumed.stdout), { scope: 'pro', paused: false });
});

test('status shows queue, pauses and routes', async () => {
  const { stdout } = await operate(['status']);
  assert.match(stdout, /^queued +3, the oldest for 2 min 5 s$/m);
  assert.match(stdout, /^paused +pro until 2026-11-20 10:00:00 UTC: provider is down$/m);
  assert.match(stdout, /^processing +1, and 2 waiting to be retried$/m);
  assert.match(stdout, /^waiting +nb: 5, because all workers are busy$/m);
  assert.match(stdout, /^worker +one:7:abc, idle$/m);
  assert.match(stdout, /^process +one:7:abc, all, 0\.1\.9$/m, 'another version runs');
  assert.match(stdout, /^route +nb → sketch sketch, 1 of 2 at a time$/m);
  assert.match(stdout, /sketch, 0 of 2 at a time, open until 2026-11-20 10:00:00 UTC \(unavailable\)$/m);
  const empty = (await operate(['status'], { FAKE_EMPTY: '1' })).stdout;
  assert.match(empty, /^paused +nothing$/m);
  assert.doesNotMatch(empty, /^process /m);
});

test('routes shows who makes the images, what is wrong with a route and which models have no route', async () => {
  const { stdout, stderr, calls } = await operate(['routes', '--check']);
  assert.deepEqual(calls[0], ['routes', { check: true }]);
  assert.match(stdout, /^nb\/gemini {2}gemini-x {2}rejected +1\/8 +12 +3 +0\.025 ↑ +4\.3 s {2}failed$/m);
  assert.match(stderr, /^nb\/gemini: quota, no jobs until 2026-11-20 10:00:00 UTC: HTTP 429: used up$/m);
  assert.match(stderr, /^nb\/gemini: check: auth: HTTP 401$/m);
  assert.match(stderr, /^Uncovered: nb: nobody makes 1:1$/m);
  const json = JSON.parse((await operate(['routes', '--json'])).stdout);
  assert.equal(json.routes[0].state, 'rejected');
  assert.equal(json.uncovered.length, 1);
});

test('models apply names models that no route can make, before and after', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-cli-models-'));
  const file = join(place.path, 'flux.json');
  await writeFile(file, JSON.stringify({ id: 'flux' }));
  for (const yes of [[], ['--yes']]) {
    const { code, stdout, stderr } = await operate(['models', 'apply', file, ...yes]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^~ flux$/m);
    assert.match(stderr, /^Uncovered: flux: nobody makes any ratio at 4K, whatever the inputs$/m);
  }
});

test('models restore says which version the model has', async () => {
  const { calls, stderr } = await operate(['models', 'restore', 'nb', '3']);
  assert.deepEqual(calls[0], ['restoreModel', { id: 'nb', version: 3 }]);
  assert.equal(stderr, 'nb now equals version 3.\n');
});

test('verify exits 0 if all is well, and otherwise 1 with every violation', async () => {
  const well = await operate(['verify'], { FAKE_EMPTY: '1' });
  assert.equal(well.code, 0);
  assert.match(
    well.stderr,
    /No violations\. Checked: accounts 1, entries 9, keys 7, jobs 7, batches 1, images 6\./,
  );
  const { calls } = await operate(['verify', '--no-images'], { FAKE_EMPTY: '1' });
  assert.deepEqual(calls[0], ['verify', { resume: false, images: false, signal: {} }]);
  const bad = await operate(['verify']);
  assert.equal(bad.code, 1);
  assert.equal(bad.stdout, 'I2  Account demo is off by 0.02.\n');
  assert.match(bad.stderr, /1 violation found\. Checked: accounts 1, entries 9, keys 7, jobs 7, /);
  const json = await operate(['verify', '--json']);
  assert.equal(json.code, 1);
  assert.equal(JSON.parse(json.stdout).violations.length, 1);
});

test('panel-link prints only the link on stdout, for the first operator or for one person', async () => {
  const { stdout, calls } = await operate(['panel-link']);
  assert.deepEqual(calls[0], ['panelLink', {}]);
  assert.equal(stdout, 'http://127.0.0.1:3000/open#token\n');
  const other = await operate(['panel-link', '--email', 'ada@example.com', '--json']);
  assert.deepEqual(other.calls[0], ['panelLink', { email: 'ada@example.com' }]);
  assert.equal(JSON.parse(other.stdout).url, 'http://127.0.0.1:3000/open#token');
});

test('adopt-store requires a choice for unknown images', async () => {
  const { calls, stderr } = await operate(['adopt-store', '--unknown-images', 'keep']);
  assert.deepEqual(calls[0], ['adoptStore', { unknown: 'keep' }]);
  assert.match(stderr, /belongs to this database now/);
  const untold = await operate(['adopt-store']);
  assert.equal(untold.code, 2);
  assert.deepEqual(untold.calls, []);
});

test('backup takes a path as seen from where the command runs', async () => {
  const { stdout, calls, folder } = await operate(['backup', 'copy.db']);
  assert.deepEqual(calls[0], ['backup', join(folder, 'copy.db')]);
  assert.equal(stdout, `${join(folder, 'copy.db')}\n`);
});

test('a refusal by the server’s operations exits 5, a database that is down exits 6', async () => {
  const amount = await operate(['account', 'create', 'shop', '--credit', 'ten', '--json']);
  assert.equal(amount.code, 5);
  assert.equal(JSON.parse(amount.stdout).error.code, 'invalid_request');
  assert.deepEqual(amount.calls, [['close', null]]);
  const account = await operate(['key', 'create', '--account', 'nobody']);
  assert.equal(account.code, 5);
  assert.match(account.stderr, /^darkroom: There is no account "nobody"\.$/m);
  assert.equal((await operate(['status'], { FAKE_DOWN: '1' })).code, 6);
  for (const [failure, says] of [
    ['DatabaseFull', /^darkroom: DatabaseFull here\.\n {2}Next: make room/],
    ['ProcessLate', /^darkroom: ProcessLate here\.\n {2}Next: try again/],
  ] as const) {
    const { code, stderr } = await operate(['status'], { FAKE_FAILURE: failure });
    assert.equal(code, 6);
    assert.match(stderr, says);
  }
});

test('serve starts the server with unchanged arguments', async () => {
  assert.deepEqual((await operate(['serve', '--role', 'worker'])).calls, [
    ['serve', ['serve', '--role', 'worker']],
  ]);
  assert.deepEqual((await operate(['serve'])).calls, [['serve', ['serve']]]);
});

test('account retention shows the current values, and passes on changes in days', async () => {
  const { code, stdout, calls } = await operate([
    'account',
    'retention',
    'demo',
    ...['--pictures', '7', '--prompts', 'default'],
  ]);
  assert.equal(code, 0);
  assert.deepEqual(calls[0], [
    'changeRetention',
    { account: 'demo', changes: { pictures: 7, prompts: null } },
  ]);
  assert.match(stdout, /jobs +90 +this account/);
  assert.match(stdout, /audit +for good +the installation/);
  assert.equal((await operate(['account', 'retention', 'demo', '--jobs', 'soon'])).code, 2);
});

test('account export writes only a new file; account erase requires the name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-export-'));
  const file = join(folder, 'demo.zip');
  const { code, stdout } = await operate(['account', 'export', 'demo', '--to', file]);
  assert.deepEqual([code, stdout], [0, `${file}\n`]);
  assert.equal(await readFile(file, 'utf8'), 'everything of demo');
  const again = await operate(['account', 'export', 'demo', '--to', file]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /demo\.zip exists.*\n {2}Next: choose another place/);
  const nowhere = await operate(['account', 'export', 'demo', '--to', join(folder, 'none', 'demo.zip')]);
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /^darkroom: Cannot write to the folder .*none\.\n/);
  // Limits files to 512 bytes, or to 1024 in some shells.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 1; exec node "$@"', 'sh'];
  const grown = await operate(['account', 'export', 'large', '--to', join(folder, 'new.zip')], {}, limited);
  assert.deepEqual(
    [grown.code, grown.stderr],
    [
      6,
      `darkroom: ${folder}/new.zip cannot be written: the file is larger than allowed there.\n  Next: choose another place with --to FILE\n`,
    ],
  );
  assert.deepEqual(await readdir(folder), ['demo.zip']);
  await rm(folder, { recursive: true });
  const piped = await operate(['account', 'export', 'demo', '--to', '-']);
  assert.deepEqual([piped.code, piped.stdout, piped.stderr], [0, 'everything of demo', '']);
  assert.equal((await operate(['account', 'export', 'demo', '--to', '-', '--json'])).code, 2);
  const unknown = await operate(['account', 'export', 'nobody', '--to', '-']);
  assert.deepEqual(
    [unknown.code, unknown.stdout, unknown.stderr],
    [5, '', 'darkroom: There is no account "nobody".\n'],
  );

  const erased = await operate(['account', 'erase', accountId, '--confirm', 'demo']);
  assert.deepEqual(erased.calls[0], ['eraseAccount', { account: accountId, name: 'demo' }]);
  assert.match(erased.stderr, /Erased 2 jobs and 8 objects/);
  assert.equal((await operate(['account', 'erase', 'demo'])).code, 2);
});

test('a wrong option value is reported, whether the parser or the command finds it', async () => {
  for (const [args, says] of [
    [['account', 'limits', 'demo', '--max-open', 'x'], /A number of jobs is such as 20/],
    [['account', 'limits', 'demo', '--input-day', '5 MB'], /A number of bytes is such as 500MB/],
    [['account', 'limits', 'demo', '--rate', 'fast'], /a rate such as 10\/s/],
    [['key', 'limits', keyId, '--max-open', 'x'], /A number of jobs is such as 20/],
    [['account', 'alerts', 'demo', '--near-limit', 'x'], /\S/],
    [['account', 'retention', 'demo', '--jobs', 'x'], /\S/],
    [['models', 'restore', 'nb', '--to', 'x'], /\S/],
    [['account', 'debit', 'demo', '1', '--reason', 'r', '--corrects', 'x'], /\S/],
    [['webhook', 'add', 'https://example.com/', '--account', 'demo', '--events', 'nonsense'], /nonsense/],
  ] as const) {
    const { code, stdout, stderr, calls } = await operate([...args]);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, says, args.join(' '));
    assert.deepEqual(
      calls.filter((call) => Array.isArray(call) && call[0] !== 'close'),
      [],
      args.join(' '),
    );
  }
});
