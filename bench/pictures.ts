import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request } from 'node:http';
import { join } from 'node:path';
import { startLiteLlm } from '../scripts/litellm.ts';
import { startTarget, type Target } from './load.ts';

/** Who is asked for pictures. */
interface Contender {
  name: string;
  /** Asks for a picture and reads it whole; the number of its bytes. */
  fetchPicture(agent: HttpAgent): Promise<number>;
  /** Of the process that is asked, since it started. */
  cpuMicros(): number;
}

const seconds = 4;
// It does not start without one.
const litellmKey = 'sk-of-the-bench';

/**
 * Pictures of 1 MB from an upstream that answers at once, through Darkroom, which keeps them, and beside it a proxy that
 * only passes the bytes on. With `BENCH_LITELLM=1`, LiteLLM as well, installed from PyPI.
 */
export async function measurePictures(say: (line: string) => void, rounds: number): Promise<void> {
  await using upstream = await startPart('upstream');
  await using proxy = await startPart('proxy', upstream.url);
  await using ours = await startTarget('--role', 'all', '--upstream', upstream.url);
  await using litellm = process.env.BENCH_LITELLM
    ? await startLiteLlm(configOf(upstream.url), { LITELLM_MASTER_KEY: litellmKey })
    : undefined;
  const contenders = [
    passing('raw proxy', proxy.url, () => cpuOf(proxy.pid)),
    ...(litellm ? [passing('LiteLLM', litellm.url, () => cpuOf(litellm.pid), litellmKey)] : []),
    { ...keeping(ours), name: 'Darkroom' },
    { ...passing('Darkroom, `/v1/images/generations`', ours.url, () => cpuOf(ours.pid), ours.key) },
  ];
  say('### pictures of 1 MB, from an upstream that answers at once to a client that has them\n');
  say('| | clients | a second | CPU ms a picture | p50 ms |\n|---|---|---|---|---|');
  for (const clients of [1, 16, 64]) {
    const results = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const contender of contenders) {
        const measured = await measureOne(contender, clients);
        // The first round warms up.
        if (round > 0) results.get(contender.name)?.push(measured);
      }
    }
    for (const [name, list] of results) {
      const of = (key: keyof Measured) => median(list.map((one) => one[key]));
      say(
        `| ${name} | ${clients} | ${of('perSecond').toFixed(0)} | ${of('cpuMs').toFixed(1)} | ${of('p50').toFixed(1)} |`,
      );
    }
  }
  say('');
}

interface Measured {
  perSecond: number;
  cpuMs: number;
  p50: number;
}

async function measureOne(contender: Contender, clients: number): Promise<Measured> {
  using agent = disposable(new HttpAgent({ keepAlive: true, maxSockets: clients * 2 }));
  const before = contender.cpuMicros();
  const startedAt = performance.now();
  const times: number[] = [];
  const loop = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const from = performance.now();
      const bytes = await contender.fetchPicture(agent.value);
      if (bytes < 900_000) throw new Error(`${contender.name}: ${bytes} bytes are no picture`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  const tookMs = performance.now() - startedAt;
  const after = contender.cpuMicros();
  return {
    perSecond: (times.length / tookMs) * 1000,
    cpuMs: (after - before) / 1000 / times.length,
    p50: median(times),
  };
}

/** An OpenAI Images server, asked for base64. */
function passing(name: string, url: string, cpuMicros: () => number, key = 'none'): Contender {
  const body = JSON.stringify({
    model: 'nb',
    prompt: 'a lighthouse',
    size: '1024x1024',
    response_format: 'b64_json',
  });
  return {
    name,
    cpuMicros,
    fetchPicture: (agent) =>
      send(agent, { method: 'POST', url: `${url}/v1/images/generations`, key, body }).then(
        ({ bytes }) => bytes,
      ),
  };
}

/** Ours: a job, its end, its picture. */
function keeping({ url, key, pid }: Target): Omit<Contender, 'name'> {
  const body = JSON.stringify({ prompt: 'a lighthouse', aspect_ratio: '1:1' });
  return {
    cpuMicros: () => cpuOf(pid),
    async fetchPicture(agent) {
      const made = await send(agent, { method: 'POST', url: `${url}/api/v1/nb/text-generations`, key, body });
      const { status_url: path } = JSON.parse(made.text) as { status_url: string };
      const done = await send(agent, { method: 'GET', url: url + path, key, prefer: 'wait=30' });
      const { result } = JSON.parse(done.text) as { result: { image_url: string } };
      return (await send(agent, { method: 'GET', url: result.image_url, key })).bytes;
    },
  };
}

interface Asked {
  method: string;
  url: string;
  key: string;
  body?: string;
  prefer?: string;
}

/** By the client of Node itself, which costs less than `fetch`. `text` is the start of the answer. */
async function send(agent: HttpAgent, { method, url, key, body, prefer }: Asked) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
    ...(prefer !== undefined && { prefer }),
  };
  const sent = request(url, { method, agent, headers });
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

async function startPart(
  part: 'upstream' | 'proxy',
  to = '',
): Promise<AsyncDisposable & { url: string; pid: number }> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'picture-parts.ts'), [part, to]);
  const [url] = await once(child, 'message');
  return {
    url,
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

const ticksASecond = 100;

/** Of the process, from /proc; without the child that makes smaller pictures when there is time. */
function cpuOf(pid: number): number {
  const times = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 13) ?? [];
  return times.reduce((sum, ticks) => sum + (Number(ticks) * 1e6) / ticksASecond, 0);
}

function disposable(agent: HttpAgent) {
  return { value: agent, [Symbol.dispose]: () => agent.destroy() };
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
