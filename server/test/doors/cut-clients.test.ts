import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { GoogleGenAI } from '@google/genai';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { generateImage } from 'ai';
import OpenAI from 'openai';
import { eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';

// Real clients that retry, as installed, behind a proxy that cuts their connections. They wait seconds before a retry.
const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const { key } = world;
const model = 'nb2';

/** Images are made only once the last request for them has arrived. */
const released = new Map<string, PromiseWithResolvers<void>>();
world.provider.handler = async (request) => {
  await released.get(request.prompt)?.promise;
  return world.provider.answer(request);
};

interface Program {
  requests: number;
  /** Bytes of an image. */
  ask(url: string, prompt: string): Promise<number>;
}

const programs: Record<string, Program> = {
  'openai-js': {
    requests: 3,
    async ask(url, prompt) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
      return lengthOf((await client.images.generate({ model, prompt })).data?.[0]?.b64_json);
    },
  },
  'the AI SDK, openai-compatible': {
    requests: 3,
    ask: (url, prompt) => byAiSdk({ model: openAiCompatible(url), prompt }),
  },
  'the AI SDK, google': {
    requests: 3,
    ask: (url, prompt) => byAiSdk({ model: googleImages(url), prompt }),
  },
  '@google/genai': {
    requests: 3,
    ask: (url, prompt) => byGenAi(url, prompt),
  },
  'an agent over MCP': {
    requests: 3,
    async ask(url, prompt) {
      for (let left = 2; ; left -= 1) {
        try {
          await using agent = await connect(url);
          return await agent.call(prompt);
        } catch (error) {
          if (left === 0) throw error;
        }
      }
    },
  },
};

describe('behind a proxy that cuts', { concurrency: true }, () => {
  for (const [name, { requests, ask }] of Object.entries(programs))
    test(`${name} pays for one job, and gets the image with the last repetition`, async () => {
      const prompt = `for ${name}`;
      const go = hold(prompt);
      await using proxy = await startCuttingProxy(world.url, {
        cuts: requests - 1,
        // The request's own job, or the one that it adopted.
        when: (request) =>
          request === requests
            ? Promise.resolve(go())
            : eventually(
                () => waitersOf(prompt),
                (n) => n === 1,
              ),
        // Before this, the server treats a retry as another client.
        left: () =>
          eventually(
            () => waitersOf(prompt),
            (n) => n === 0,
          ),
      });
      assert.ok((await ask(proxy.url, prompt)) > 0);
      assert.equal(proxy.requests(), requests);
      await assertPaidOnce(prompt);
    });
});

describe('with a time-out of its own', { concurrency: true }, () => {
  // Even a busy machine answers the last request within this time.
  const timeout = 4_000;
  const impatient: Record<string, (url: string, prompt: string) => Promise<number>> = {
    'openai-js': async (url, prompt) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, timeout });
      return lengthOf((await client.images.generate({ model, prompt })).data?.[0]?.b64_json);
    },
    '@google/genai': (url, prompt) => byGenAi(url, prompt, { timeout }),
    'the AI SDK, openai-compatible': (url, prompt) =>
      byImpatientAiSdk({ model: openAiCompatible(url), prompt }),
    'the AI SDK, google': (url, prompt) => byImpatientAiSdk({ model: googleImages(url), prompt }),
    'an agent over MCP': async (url, prompt) => {
      await using agent = await connect(url);
      for (let left = 2; left > 0; left -= 1) await assert.rejects(agent.call(prompt, { timeout }));
      return await agent.call(prompt);
    },
  };
  /** The SDK has no such time-out: its callers pass a signal, and call again. */
  async function byImpatientAiSdk(wish: Parameters<typeof byAiSdk>[0]): Promise<number> {
    for (let left = 2; left > 0; left -= 1) {
      await assert.rejects(byAiSdk({ ...wish, abortSignal: AbortSignal.timeout(timeout) }));
      // Without a retry count in the request, only the job of a client that has left is adopted.
      await eventually(
        () => waitersOf(wish.prompt),
        (n) => n === 0,
      );
    }
    return byAiSdk(wish);
  }
  for (const [name, ask] of Object.entries(impatient))
    test(`${name} pays for one job`, async () => {
      const prompt = `in time for ${name}`;
      const go = hold(prompt);
      const when = async (request: number) => request === 3 && go();
      await using proxy = await startCuttingProxy(world.url, { cuts: 0, when });
      assert.ok((await ask(proxy.url, prompt)) > 0);
      assert.equal(proxy.requests(), 3);
      await assertPaidOnce(prompt);
    });
});

function openAiCompatible(url: string) {
  return createOpenAICompatible({ name: 'darkroom', baseURL: `${url}/v1`, apiKey: key }).imageModel(model);
}

function googleImages(url: string) {
  return createGoogle({ apiKey: key, baseURL: `${url}/v1beta` }).image('gemini-3.1-flash-image');
}

async function byAiSdk(wish: Parameters<typeof generateImage>[0] & { prompt: string }): Promise<number> {
  return (await generateImage(wish)).image.uint8Array.length;
}

async function byGenAi(url: string, prompt: string, options: { timeout?: number } = {}): Promise<number> {
  const httpOptions = { baseUrl: url, retryOptions: { attempts: 3 }, ...options };
  const google = new GoogleGenAI({ apiKey: key, httpOptions });
  return lengthOf((await google.models.generateContent({ model, contents: prompt })).data);
}

async function connect(url: string) {
  const client = new Client({ name: 'agent', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return {
    async call(prompt: string, options: { timeout?: number } = {}) {
      const { content } = await client.callTool(
        { name: 'generate_image', arguments: { prompt, model } },
        options,
      );
      return lengthOf(content.flatMap((part) => (part.type === 'image' ? [part.data] : []))[0]);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function hold(prompt: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  released.set(prompt, { promise, resolve } as PromiseWithResolvers<void>);
  return resolve;
}

async function waitersOf(prompt: string): Promise<number> {
  const { read } = world.app.database;
  const rows = await read
    .selectFrom('unanswered_requests')
    .innerJoin('jobs', 'jobs.id', 'unanswered_requests.job_id')
    .select('waiter')
    .where('prompt', '=', prompt)
    .execute();
  return rows.filter(({ waiter }) => waiter !== null).length;
}

async function assertPaidOnce(prompt: string): Promise<void> {
  const { read } = world.app.database;
  const entries = await read
    .selectFrom('entries')
    .innerJoin('jobs', 'jobs.id', 'entries.job_id')
    .select('kind')
    .where('prompt', '=', prompt)
    .orderBy('entries.id')
    .execute();
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['reserve', 'capture'],
  );
}

function lengthOf(base64: string | undefined): number {
  return Buffer.from(base64 ?? '', 'base64').length;
}
