import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { chmod, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runDarkroom } from '../../../cli/test/run-darkroom.ts';
import { partsOf } from '../../src/images/signing/certificates/der.ts';
import type { MarkingFiles, MarkingStatus } from '../../src/start/marking/marking-verbs.ts';
import { selfSigned } from '../images/support/signing.ts';

type Settings = Record<'certificateFile' | 'keyFile', string>;

async function openFolder() {
  const { path, ...folder } = await mkdtempDisposable(join(tmpdir(), 'darkroom-marking-'));
  const env: Record<string, string> = { DARKROOM_DATA_DIR: join(path, 'data') };
  const darkroom = (...args: string[]) => runDarkroom(args, { cwd: path, env });
  // As on a full disk, no file can grow.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 0; exec node "$@"', 'sh'];
  return {
    path,
    darkroom,
    darkroomWithFullDisk: (...args: string[]) =>
      runDarkroom(args, { cwd: path, env, node: 'sh', nodeArgs: limited }),
    async init(...more: string[]) {
      const { code, stdout, stderr } = await darkroom('marking', 'init', '--json', ...more);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as MarkingFiles;
    },
    async configure(signing: Settings) {
      env.DARKROOM_CONFIG = join(path, 'config.json');
      await writeFile(env.DARKROOM_CONFIG, JSON.stringify({ marking: { signing } }));
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

test('marking init makes a key that only its owner may read, and a request signed with the key', async () => {
  await using folder = await openFolder();
  const { key_file, key_kept, request_file } = await folder.init('--name', 'Example Studio');
  assert.equal(key_kept, false);
  assert.equal((await stat(key_file)).mode & 0o777, 0o600);
  const key = createPrivateKey(await readFile(key_file, 'utf8'));
  const pem = await readFile(String(request_file), 'utf8');
  const [body, , signature] = partsOf(Buffer.from(pem.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64'));
  assert.ok(body?.includes('Example Studio'));
  // A bit string begins with its tag, its length and the number of unused bits.
  assert.ok(body && signature && verify('sha256', body, createPublicKey(key), signature.subarray(3)));
  const again = await folder.init();
  assert.equal(again.key_kept, true);
  assert.equal(await readFile(key_file, 'utf8'), key.export({ type: 'pkcs8', format: 'pem' }));
});

test('a self-signed certificate signs at once, and the status says whose it is and until when', async () => {
  await using folder = await openFolder();
  const none = await folder.darkroom('marking', 'status');
  assert.match(none.stdout, /^signature +none/m);
  const { certificate_file: certificateFile, key_file: keyFile } = await folder.init('--self-signed');
  await folder.configure({ certificateFile, keyFile });
  const { stdout } = await folder.darkroom('marking', 'status', '--json');
  const { signing: found } = JSON.parse(stdout) as MarkingStatus;
  const days = (Date.parse(String(found?.ends_at)) - Date.now()) / 86_400_000;
  assert.ok(days > 364 && days <= 365, `${days} days`);
  assert.deepEqual(
    [found?.certificate, found?.self_signed, found?.time_stamps, found?.wrong],
    ['Darkroom', true, null, null],
  );
  const doctor = await folder.darkroom('doctor');
  assert.match(doctor.stdout, /! signing +by Darkroom until .*no time stamps/);
});

test('a certificate for another key is reported, and the key is not revealed', async () => {
  await using folder = await openFolder();
  const { certificate_file: certificateFile, key_file: keyFile } = await folder.init('--self-signed');
  await writeFile(certificateFile, selfSigned('Somebody else').certificates);
  await folder.configure({ certificateFile, keyFile });
  const other = await folder.darkroom('marking', 'status');
  assert.equal(other.code, 5);
  assert.match(other.stderr, /marking\.signing\.keyFile: it is not the key of the certificate/);
  const secret = (await readFile(keyFile, 'utf8')).split('\n')[1] ?? '';
  assert.ok(secret.length > 20 && !other.stderr.includes(secret));
});

test('a key that every user of the machine can read is reported, with how to repair it', async () => {
  await using folder = await openFolder();
  const { certificate_file: certificateFile, key_file: keyFile } = await folder.init('--self-signed');
  await folder.configure({ certificateFile, keyFile });
  assert.doesNotMatch((await folder.darkroom('marking', 'status')).stdout, /chmod/);
  await chmod(keyFile, 0o644);
  const { stdout } = await folder.darkroom('marking', 'status');
  assert.match(stdout, /^key +every user may read it: chmod 600 \/.*key\.pem$/m);
  const doctor = await folder.darkroom('doctor');
  assert.match(
    doctor.stdout,
    /! signing +every user of this machine may read the key.*\n +Next: chmod 600 \/.*key\.pem$/m,
  );
});

test('a full disk leaves the certificate as it was, and no half of a key', async () => {
  await using folder = await openFolder();
  const arguments_ = ['marking', 'init', '--self-signed', '--json'];
  assert.notEqual((await folder.darkroomWithFullDisk(...arguments_)).code, 0);
  const { key_kept, certificate_file: file, key_file } = await folder.init('--self-signed');
  assert.equal(key_kept, false);
  const certificate = await readFile(file, 'utf8');
  assert.notEqual((await folder.darkroomWithFullDisk(...arguments_)).code, 0);
  assert.equal(await readFile(file, 'utf8'), certificate);
  assert.deepEqual((await readdir(dirname(key_file))).toSorted(), ['certificate.pem', 'key.pem']);
  assert.equal((await stat(file)).mode & 0o777, 0o644);
});
