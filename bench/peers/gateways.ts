import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent as HttpAgent, request } from 'node:http';
import { join } from 'node:path';
import { freePort, startLiteLlm, untilLive } from '../../scripts/litellm.ts';
import { median } from '../in-turn.ts';
import { startTarget, type Target } from '../load.ts';
import { installed } from './installed.ts';
import { untilQuiet, usedBy } from './process-tree.ts';

interface Contender {
  name: string;
  /** The main process; its child processes are measured too. */
  pid: number;
  /** Fetches an image and returns its number of bytes. */
  fetchImage(agent: HttpAgent): Promise<number>;
}

interface Server extends AsyncDisposable {
  url: string;
  pid: number;
}

const seconds = 4;
/** The longest wait for the renditions that the server makes ahead. At most a thousand are in its queue. */
const quietMs = 30_000;
const sides = { small: 64, large: 1024 } as const;
/** An answer with fewer bytes has no image. */
const leastBytes = { small: 4_000, large: 1_200_000 } as const;
type Kind = keyof typeof sides;
// LiteLLM does not start without a key.
const litellmKey = 'sk-of-the-bench';

/**
 * Measures how images from an upstream that answers immediately reach a client: through Darkroom, through gateways that
 * only pass them on (Portkey and, with `BENCH_LITELLM=1`, LiteLLM), and directly.
 */
export async function measureGateways(say: (line: string) => void, rounds: number): Promise<void> {
  await using upstream = await startUpstream();
  await using portkey = await startPortkey();
  say('### images through gateways\n');
  say('| image | through | clients | per second | p50 ms | p99 ms | CPU ms | RSS MB |');
  say('|---|---|---|---|---|---|---|---|');
  for (const kind of ['small', 'large'] as const) {
    const url = upstream[kind];
    await using stack = new AsyncDisposableStack();
    const small = kind === 'small' ? ['--small'] : [];
    const ours = stack.use(await startTarget('--role', 'all', '--upstream', url, ...small));
    const contenders = [
      passing('nothing', kind, { url, pid: upstream.pid }),
      passing('Portkey', kind, portkey, {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${url}/v1`,
      }),
      passing('Darkroom', kind, ours, { authorization: `Bearer ${ours.key}` }),
      keeping('Darkroom, jobs', ours),
    ];
    if (process.env.BENCH_LITELLM) {
      const litellm = stack.use(await startLiteLlm(configOf(url), { LITELLM_MASTER_KEY: litellmKey }));
      contenders.push(passing('LiteLLM', kind, litellm, { authorization: `Bearer ${litellmKey}` }));
    }
    for (const clients of [1, 10, 64]) await compare(say, contenders, { kind, clients, rounds });
  }
  say('');
}

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  cpuMs: number;
  rssMb: number;
}

async function compare(
  say: (line: string) => void,
  contenders: readonly Contender[],
  { kind, clients, rounds }: { kind: Kind; clients: number; rounds: number },
): Promise<void> {
  const results = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const measured = await measureOne(contender, kind, clients);
      // The first round warms up.
      if (round > 0) results.get(contender.name)?.push(measured);
    }
  }
  for (const [name, list] of results) {
    const of = (key: keyof Measured, digits = 1) => median(list.map((one) => one[key])).toFixed(digits);
    say(
      `| ${kind} | ${name} | ${clients} | ${of('perSecond', 0)} | ${of('p50')} | ${of('p99')} | ${of('cpuMs', 2)} | ${of('rssMb', 0)} |`,
    );
  }
}

/** Measures one contender. Its processor time includes work after the last answer, until the contender is quiet. */
async function measureOne(contender: Contender, kind: Kind, clients: number): Promise<Measured> {
  using stack = new DisposableStack();
  const agent = stack.adopt(new HttpAgent({ keepAlive: true, maxSockets: clients * 2 }), (it) =>
    it.destroy(),
  );
  const before = usedBy(contender.pid);
  const startedAt = performance.now();
  const times: number[] = [];
  const loop = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const from = performance.now();
      const bytes = await contender.fetchImage(agent);
      if (bytes < leastBytes[kind]) throw new Error(`${contender.name}: ${bytes} bytes are no image`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  const tookMs = performance.now() - startedAt;
  const { rssBytes } = usedBy(contender.pid);
  await untilQuiet(contender.pid, quietMs);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return {
    perSecond: (times.length / tookMs) * 1000,
    p50: at(0.5),
    p99: at(0.99),
    cpuMs: (usedBy(contender.pid).cpuMs - before.cpuMs) / times.length,
    rssMb: rssBytes / 1e6,
  };
}

function passing(
  name: string,
  kind: Kind,
  { url, pid }: { url: string; pid: number },
  headers: Record<string, string> = {},
): Contender {
  const body = JSON.stringify({
    model: 'nb',
    prompt: 'a lighthouse',
    size: `${sides[kind]}x${sides[kind]}`,
    response_format: 'b64_json',
  });
  const address = `${url}/v1/images/generations`;
  return {
    name,
    pid,
    fetchImage: async (agent) => (await send(agent, { method: 'POST', url: address, headers, body })).bytes,
  };
}

function keeping(name: string, { url, key, pid }: Target): Contender {
  const body = JSON.stringify({ prompt: 'a lighthouse', aspect_ratio: '1:1' });
  const headers = { authorization: `Bearer ${key}` };
  return {
    name,
    pid,
    async fetchImage(agent) {
      const address = `${url}/api/v1/nb/text-generations`;
      const made = await send(agent, { method: 'POST', url: address, headers, body });
      const { status_url: path } = JSON.parse(made.text) as { status_url: string };
      const waits = { ...headers, prefer: 'wait=30' };
      const done = await send(agent, { method: 'GET', url: url + path, headers: waits });
      const { result } = JSON.parse(done.text) as { result: { image_url: string } };
      return (await send(agent, { method: 'GET', url: result.image_url, headers })).bytes;
    },
  };
}

interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends with Node's own client, which costs less than `fetch`. Returns the start of the answer's body as `text`. */
async function send(agent: HttpAgent, { method, url, headers, body }: Asked) {
  const typed = body !== undefined && {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const sent = request(url, { method, agent, headers: { ...headers, ...typed } });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  let bytes = 0;
  let text = '';
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes < 100_000) text += chunk;
  }
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 300)}`);
  return { bytes, text };
}

async function startUpstream(): Promise<AsyncDisposable & Record<Kind, string> & { pid: number }> {
  const child = fork(join(import.meta.dirname, 'image-upstream.ts'));
  const [urls] = await once(child, 'message');
  return { ...urls, ...stopping(child) };
}

async function startPortkey(): Promise<Server> {
  const script = join(await installed('@portkey-ai/gateway'), 'build/start-server.js');
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' };
  const child = spawn(process.execPath, [script, `--port=${port}`, '--headless'], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilLive(url, child);
  return { url, ...stopping(child) };
}

function stopping(child: ChildProcess) {
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

function configOf(upstream: string): string {
  return `model_list:
  - model_name: nb
    litellm_params:
      model: openai/gpt-image-1
      api_base: ${upstream}/v1
      api_key: none
      drop_params: true
`;
}
