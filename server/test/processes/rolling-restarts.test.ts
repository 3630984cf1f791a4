import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase } from '../world/databases.ts';
import { freePort } from '../world/postgres.ts';
import { refusedPrompt, textPath } from './support/client.ts';
import { openInstallation } from './support/installation.ts';
import { startServerProcess } from './support/server-process.ts';

// The delay as it is by default, and the load balancers as the guide has them.
const delay = { DARKROOM_SHUTDOWN_DELAY_SECONDS: '5' };
const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/operating.md'), 'utf8');
const clients = 12;

interface Balancer {
  program: string;
  arguments(file: string): string[];
  /** A whole configuration around what the guide says. `port` answers clients; `statusPort` is 200 while all servers are up. */
  configuration(documented: string, at: { port: number; statusPort: number; folder: string }): string;
  hasStatus: boolean;
}

const balancers: Record<string, Balancer> = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    arguments: (file) => ['-db', '-f', file],
    configuration: (documented, { port, statusPort }) => `
defaults
  mode http
  timeout connect 5s
  timeout client 75s
frontend clients
  bind 127.0.0.1:${port}
  default_backend darkroom
frontend status
  bind 127.0.0.1:${statusPort}
  monitor-uri /
  monitor fail if { nbsrv(darkroom) lt 2 }
${documented}`,
    hasStatus: true,
  },
  nginx: {
    program: '/usr/sbin/nginx',
    arguments: (file) => ['-c', file],
    configuration: (documented, { port, folder }) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
error_log stderr crit;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
${documented.replace('listen 80;', `listen 127.0.0.1:${port};`)}
}`,
    hasStatus: false,
  },
};

for (const [name, balancer] of Object.entries(balancers)) {
  const skip = !existsSync(balancer.program) && `NO ${balancer.program}: apt-get install ${name}`;
  test(`rolling restarts behind ${name} as documented: no create and no read fails`, { skip }, async (t) => {
    await using place = await openInstallation(await createDatabase());
    const { key } = await place.account(10_000_000_000n);
    const ports = [await freePort(), await freePort()];
    const start = (port = 0) => startServerProcess({ ...place.env, ...delay, PORT: String(port) }, 'api');
    await using stack = new AsyncDisposableStack();
    const servers = await Promise.all(ports.map(start));
    for (const server of servers) stack.use(server);
    await using front = await startBalancer(name, balancer, ports);
    const load = startLoad(front.url, key);
    for (const [index, port] of ports.entries()) {
      servers[index]?.signal('SIGTERM');
      assert.equal((await servers[index]?.ended)?.code, 0);
      stack.use(await start(port));
      await front.untilAllUp();
    }
    const { answered, created, failures } = await load.end();
    t.diagnostic(`${answered} requests answered, ${failures.length} failed`);
    assert.deepEqual(failures, []);
    const { count } = await place.database.read
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), created, 'one job for each create, however often it was passed on');
    assert.ok(answered > 100, `${answered} requests in all`);
  });
}

async function startBalancer(name: string, balancer: Balancer, ports: number[]) {
  const [, documented = ''] = new RegExp(`\`\`\`${name}\\n(.*?)\`\`\``, 's').exec(guide) ?? [];
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const here = documented.replaceAll(/10\.0\.0\.1[12]:3000/g, () => addresses.shift() ?? '');
  const folder = await mkdtemp(join(tmpdir(), `darkroom-${name}-`));
  const file = join(folder, 'configuration');
  const [port, statusPort] = [await freePort(), await freePort()];
  await writeFile(file, balancer.configuration(here, { port, statusPort, folder }));
  const child = spawn(balancer.program, balancer.arguments(file), {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isOk = (address: string) =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isOk(`${url}/livez`))) assert.equal(child.exitCode, null, `${name} ended`);
  return {
    url,
    async untilAllUp() {
      while (balancer.hasStatus && !(await isOk(`http://127.0.0.1:${statusPort}/`)));
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Clients that create and read without a pause, half of them on a connection that stays open. */
function startLoad(url: string, key: string) {
  const failures: string[] = [];
  let answered = 0;
  let created = 0;
  let isOver = false;
  const body = JSON.stringify({ prompt: refusedPrompt, aspect_ratio: '1:1' });
  const work = Array.from({ length: clients }, async (_, index) => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 });
    while (!isOver) {
      for (const [method, path] of [
        ['POST', textPath],
        ['GET', '/balance'],
      ] as const) {
        const status = await send(
          agent,
          method,
          `${url}/api/v1${path}`,
          key,
          method === 'POST' ? body : '',
        ).catch(String);
        if (status === 202) created += 1;
        if (status === 200 || status === 202) answered += 1;
        else failures.push(`${method} ${path}: ${status}`);
      }
    }
    agent.destroy();
  });
  return {
    async end() {
      isOver = true;
      await Promise.all(work);
      return { answered, created, failures };
    },
  };
}

/** Not `fetch`: it sends a GET again whose connection broke, and would hide what is looked for. */
async function send(agent: Agent, method: string, url: string, key: string, body: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const call = request(url, { agent, method, headers });
  call.end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  return answer.statusCode ?? 0;
}
