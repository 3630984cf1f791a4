import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
}

const settings = `
[tsa]
default_tsa = own
[own]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
ess_cert_id_alg = sha256
accuracy = secs:1
[req]
distinguished_name = name
[name]
[usage]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
`;

export interface TimeStamps extends AsyncDisposable {
  url: string;
  asked: number;
  isDown: boolean;
}

export async function startTimeStamps(): Promise<TimeStamps> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-stamps-'));
  const at = { cwd: folder.path };
  await writeFile(join(folder.path, 'settings'), settings);
  await writeFile(join(folder.path, 'serial'), '01\n');
  const key = ['-newkey', 'rsa:2048', '-noenc', '-keyout', 'key', '-days', '30', '-subj', '/CN=Stamps'];
  const form = ['-config', 'settings', '-extensions', 'usage', '-out', 'certificate'];
  await run('openssl', ['req', '-x509', ...key, ...form], at);
  // One request at a time, because the serial numbers are in a file.
  let last = Promise.resolve(Buffer.alloc(0));
  const stamp = async (query: Buffer) => {
    await writeFile(join(folder.path, 'query'), query);
    const files = ['-queryfile', 'query', '-inkey', 'key', '-signer', 'certificate', '-out', 'reply'];
    await run('openssl', ['ts', '-reply', '-config', 'settings', ...files], at);
    return readFile(join(folder.path, 'reply'));
  };
  const server = createServer(async (request, response) => {
    authority.asked += 1;
    if (authority.isDown) return response.writeHead(503).end();
    const query = await buffer(request);
    last = last.then(() => stamp(query));
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(await last);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const authority = {
    url: `http://127.0.0.1:${port}`,
    asked: 0,
    isDown: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
      await folder.remove();
    },
  };
  return authority;
}
