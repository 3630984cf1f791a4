import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../world/databases.ts';
import { freePort } from '../world/free-port.ts';
import { refusedPrompt, textPath } from './support/client.ts';
import { openInstallation } from './support/installation.ts';
import { startServerProcess } from './support/server-process.ts';

// Uses the default delay, and the load balancers' files in deploy/ except for addresses.
const delay = { DARKROOM_SHUTDOWN_DELAY_SECONDS: '5' };
const deploy = join(import.meta.dirname, '../../../deploy');
const clients = 12;
// Short enough that requests run at every moment, and long enough to leave processor time to the balancer, whose
// health checks must be answered in time.
const pauseMs = 50;

interface Balancer {
  program: string;
  file: string;
  arguments(file: string, folder: string): string[];
  /**
   * The documented configuration with local addresses. `port` answers clients; `statusPort` is 200 while all
   * servers are up.
   */
  configuration(documented: string, at: { port: number; statusPort: number; folder: string }): string;
  hasStatus: boolean;
  /** How long the balancer may take to notice that a server is down, if it has no status page. */
  settleMs?: number;
  readHealth?(line: string): { server: string; isUp: boolean } | undefined;
}

const balancers: Record<string, Balancer> = {
  haproxy: {
    program: '/usr/sbin/haproxy',
    file: 'haproxy.cfg',
    arguments: (file) => ['-db', '-f', file],
    configuration: (documented, { port, statusPort }) => `
${documented.replace('bind :80', `bind 127.0.0.1:${port}`)}
frontend status
  bind 127.0.0.1:${statusPort}
  monitor-uri /
  monitor fail if { nbsrv(darkroom) lt 2 }
`,
    hasStatus: true,
  },
  nginx: {
    program: '/usr/sbin/nginx',
    file: 'nginx.conf',
    arguments: (file, folder) => [
      '-c',
      file,
      '-g',
      `daemon off; pid ${folder}/pid; error_log stderr crit; ${process.getuid?.() === 0 ? 'user root;' : ''}`,
    ],
    configuration: (documented, { port, folder }) =>
      documented
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
        .replace('http {', `http { access_log off; ${temporary(folder)}`),
    hasStatus: false,
  },
  caddy: {
    program: '/usr/bin/caddy',
    file: 'Caddyfile',
    arguments: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configuration: (documented, { port }) =>
      `{\n\tadmin off\n}\n${documented
        .replace('{$SITE:localhost}', `http://127.0.0.1:${port}`)
        .replace('{$UPSTREAMS:127.0.0.1:3000}', '10.0.0.11:3000 10.0.0.12:3000')}`,
    hasStatus: false,
    // The balancer checks every two seconds, and waits as long. If both servers seem down, the balancer
    // itself answers 503.
    settleMs: 5_000,
    readHealth(line) {
      const { logger = '', msg, host } = line.startsWith('{') ? JSON.parse(line) : {};
      return logger.endsWith('health_checker.active') && host
        ? { server: host, isUp: msg === 'host is up' }
        : undefined;
    },
  },
};

function temporary(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
}

suite('rolling restarts', () => {
  for (const [name, balancer] of Object.entries(balancers)) {
    const skip = !existsSync(balancer.program) && `NO ${balancer.program}: apt-get install ${name}`;
    test(`behind ${name} as documented: no create and no read fails`, { skip }, async (t) => {
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
});

async function startBalancer(name: string, balancer: Balancer, ports: number[]) {
  const documented = await readFile(join(deploy, balancer.file), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), `darkroom-${name}-`));
  const file = join(folder, 'configuration');
  const [port, statusPort] = [await freePort(), await freePort()];
  const addresses = ports.map((own) => `127.0.0.1:${own}`);
  const filled = balancer
    .configuration(documented, { port, statusPort, folder })
    .replaceAll(/10\.0\.0\.1([12]):3000/g, (_whole, nth: string) => addresses[Number(nth) - 1] ?? '');
  await writeFile(file, filled);
  const child = spawn(balancer.program, balancer.arguments(file, folder), {
    stdio: ['ignore', 'inherit', balancer.readHealth ? 'pipe' : 'inherit'],
  });
  const ended = once(child, 'exit');
  const down = new Set<string>();
  if (child.stderr)
    createInterface(child.stderr).on('line', (line) => {
      const told = balancer.readHealth?.(line);
      if (told?.isUp) down.delete(told.server);
      else if (told) down.add(told.server);
    });
  const url = `http://127.0.0.1:${port}`;
  const isOk = (address: string) =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
  const untilOk = async (address: string) => {
    for (; !(await isOk(address)); await sleep(pauseMs)) assert.equal(child.exitCode, null, `${name} ended`);
  };
  await untilOk(`${url}/livez`);
  return {
    url,
    async untilAllUp() {
      if (balancer.hasStatus) await untilOk(`http://127.0.0.1:${statusPort}/`);
      await sleep(balancer.settleMs ?? 0);
      while (down.size > 0) await sleep(pauseMs);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

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
        await sleep(pauseMs);
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

/** `fetch` would repeat a GET whose connection broke, and hide what the test looks for. */
async function send(agent: Agent, method: string, url: string, key: string, body: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const call = request(url, { agent, method, headers });
  call.end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  return answer.statusCode ?? 0;
}
