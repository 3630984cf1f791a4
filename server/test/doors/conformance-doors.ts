import assert from 'node:assert/strict';

export interface Wish {
  prompt: string;
  model?: string;
  images?: readonly string[];
  links?: readonly string[];
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** How often the client says that it has already sent the request. */
  repeats?: number;
}

export interface Told {
  made: boolean;
  status: number;
  jobId: string | undefined;
  named: string | undefined;
  /** The bytes of the image; undefined if the API shows only a preview. */
  image: Buffer | undefined;
  repeats: boolean;
  words: string;
}

export interface DoorUnderTest {
  name: string;
  make(server: Server, wish: Wish): Promise<Told>;
  post(server: Server, body: string): Promise<Told>;
  assertForm(told: Told): void;
  takesImages: boolean;
}

export interface Server {
  url: string;
  key: string;
}

const json = { 'content-type': 'application/json' };

const gemini: DoorUnderTest = {
  name: 'gemini',
  takesImages: true,
  make({ url, key }, wish) {
    const { prompt, model = 'nb2', images = [], links = [], signal } = wish;
    const inline = images.map((data) => ({ inlineData: { mimeType: 'image/png', data } }));
    const linked = links.map((fileUri) => ({ fileData: { fileUri } }));
    const parts = [{ text: prompt }, ...inline, ...linked];
    const body = JSON.stringify({ contents: [{ role: 'user', parts }] });
    const headers = { ...headersOf(wish), 'x-goog-api-key': key };
    return ask(
      `${url}/v1beta/models/${model}:generateContent`,
      { headers, body, ...withSignal(signal) },
      readGemini,
    );
  },
  post: ({ url, key }, body) =>
    ask(
      `${url}/v1beta/models/nb2:generateContent`,
      { headers: { ...json, 'x-goog-api-key': key }, body },
      readGemini,
    ),
  assertForm({ status, words }) {
    const { error } = JSON.parse(words);
    assert.equal(error.code, status);
    assert.match(error.status, /^[A-Z_]+$/);
    assert.match(error.message, /\w/);
    for (const detail of error.details)
      assert.match(detail['@type'], /^type\.googleapis\.com\/google\.rpc\./);
  },
};

function readGemini(status: number, _headers: Headers, text: string): Pick<Told, 'image' | 'repeats'> {
  const { candidates } = JSON.parse(text);
  const data: string | undefined = candidates?.[0]?.content?.parts?.[0]?.inlineData?.data;
  return {
    image: data === undefined ? undefined : Buffer.from(data, 'base64'),
    repeats: google.has(status),
  };
}

const google = new Set([408, 429, 500, 502, 503, 504]);

const openai: DoorUnderTest = {
  name: 'openai',
  takesImages: true,
  make({ url, key }, wish) {
    const { prompt, model = 'nb2', images = [], links = [], signal } = wish;
    const urls = [...images.map((data) => `data:image/png;base64,${data}`), ...links];
    const isEdit = urls.length > 0;
    const body = JSON.stringify({
      model,
      prompt,
      response_format: 'b64_json',
      ...(isEdit && { images: urls.map((image_url) => ({ image_url })) }),
    });
    const headers = { ...headersOf(wish), authorization: `Bearer ${key}` };
    const call = isEdit ? 'edits' : 'generations';
    return ask(`${url}/v1/images/${call}`, { headers, body, ...withSignal(signal) }, readOpenAi);
  },
  post: ({ url, key }, body) =>
    ask(`${url}/v1/images/edits`, { headers: { ...json, authorization: `Bearer ${key}` }, body }, readOpenAi),
  assertForm({ words }) {
    const { error } = JSON.parse(words);
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code']);
    assert.match(error.message, /\w/);
    assert.match(error.type, /^[a-z_]+$/);
  },
};

function readOpenAi(status: number, headers: Headers, text: string): Pick<Told, 'image' | 'repeats'> {
  const data: string | undefined = JSON.parse(text).data?.[0]?.b64_json;
  const advice = headers.get('x-should-retry');
  const isRepeated = status === 408 || status === 409 || status === 429 || status >= 500;
  return {
    image: data === undefined ? undefined : Buffer.from(data, 'base64'),
    repeats: advice === null ? isRepeated : advice === 'true',
  };
}

const mcp: DoorUnderTest = {
  name: 'mcp',
  takesImages: false,
  make(server, wish) {
    const { prompt, model = 'nb2', links: images = [] } = wish;
    const params = { name: 'generate_image', arguments: { prompt, model, images } };
    return call(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), wish);
  },
  post: call,
  assertForm({ words, status }) {
    assert.match(words, /\w/);
    if (status !== 200) assert.deepEqual(Object.keys(JSON.parse(words)).sort(), ['error', 'id', 'jsonrpc']);
  },
};

async function call({ url, key }: Server, body: string, wish: Partial<Wish> = {}): Promise<Told> {
  const accept = 'application/json, text/event-stream';
  const headers = { ...headersOf(wish), accept, authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body, ...withSignal(wish.signal) });
  const words = await response.text();
  const message = JSON.parse(/^data: (\{.*)$/m.exec(words)?.[1] ?? (words || '{}'));
  const { structuredContent: made, isError } = message.result ?? {};
  return {
    made: made?.status === 'done' && isError !== true,
    status: response.status,
    jobId: made?.job_id,
    named: namedIn(response.headers),
    image: undefined,
    // The answer of a tool is for a model to judge.
    repeats: false,
    words,
  };
}

export const doorsUnderTest: readonly DoorUnderTest[] = [gemini, openai, mcp];

async function ask(
  url: string,
  init: RequestInit,
  read: (status: number, headers: Headers, text: string) => Pick<Told, 'image' | 'repeats'>,
): Promise<Told> {
  const response = await fetch(url, { method: 'POST', ...init });
  const { status, headers } = response;
  const words = await response.text();
  const found = read(status, headers, words);
  return {
    ...found,
    made: found.image !== undefined,
    status,
    jobId: headers.get('darkroom-job-id') ?? undefined,
    named: namedIn(headers),
    words,
  };
}

function namedIn(headers: Headers): string | undefined {
  return headers.get('x-darkroom-job-id') ?? undefined;
}

function headersOf({ idempotencyKey, repeats }: Partial<Wish>): Record<string, string> {
  return {
    ...json,
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(repeats !== undefined && { 'x-stainless-retry-count': String(repeats) }),
  };
}

function withSignal(signal: AbortSignal | undefined) {
  return signal ? { signal } : {};
}
