import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** `hang`: never answers. `reset`: takes the request and cuts the connection. `slow`: the usual answer, but late. */
export type Scripted = Reply | 'hang' | 'reset' | 'slow';

const slowMs = 300;

export interface Recorded {
  stage: string;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  json(): unknown;
  form(): Promise<FormData>;
}

interface EmulatedRoute {
  method: 'GET' | 'POST' | 'PUT';
  path: RegExp;
  /** The step's name in scripts and tests. */
  stage: string;
  handle(request: Recorded, match: RegExpMatchArray): Reply | Promise<Reply>;
}

export interface Emulator extends AsyncDisposable {
  url: string;
  requests: Recorded[];
  of(stage: string): Recorded[];
  /** These answer the stage's next requests instead of the protocol. A promised answer is sent once it resolves. */
  answer(stage: string, ...replies: (Scripted | Promise<Scripted>)[]): void;
  /** Every request of this stage gets this answer; undefined: the protocol's own again. */
  always(stage: string, reply: Scripted | undefined): void;
  /** Resolves when the next request of this stage has arrived whole. */
  arrived(stage: string): Promise<Recorded>;
}

export async function startEmulator(routes: readonly EmulatedRoute[]): Promise<Emulator> {
  const requests: Recorded[] = [];
  const scripts = new Map<string, (Scripted | Promise<Scripted>)[]>();
  const rules = new Map<string, Scripted | undefined>();
  const events = new EventTarget();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://emulator');
    const route = routes.find((each) => each.method === request.method && each.path.test(url.pathname));
    const recorded = await record(request, url, route?.stage ?? 'unknown');
    requests.push(recorded);
    const reply = scripts.get(recorded.stage)?.shift() ?? rules.get(recorded.stage);
    events.dispatchEvent(new CustomEvent(`arrived:${recorded.stage}`, { detail: recorded }));
    const scripted = await reply;
    if (scripted === 'hang') return;
    if (scripted === 'reset') return void request.socket.resetAndDestroy();
    const match = route ? url.pathname.match(route.path) : null;
    const own = route && match ? () => route.handle(recorded, match) : () => ({ status: 404, body: {} });
    // Only a real wait can play a slow server.
    if (scripted === 'slow') await sleep(slowMs);
    send(response, scripted === 'slow' || scripted === undefined ? await own() : scripted);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has an address

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    of: (stage) => requests.filter((request) => request.stage === stage),
    answer: (stage, ...replies) => void scripts.set(stage, [...(scripts.get(stage) ?? []), ...replies]),
    always: (stage, reply) => void rules.set(stage, reply),
    arrived: async (stage) => (await eventOf(events, `arrived:${stage}`)).detail,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

export const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status}</title></head><body><h1>${status} from a gateway</h1></body></html>`,
});

export const brokenJson: Reply = {
  headers: { 'content-type': 'application/json' },
  body: '{"images": [{"url',
};

function eventOf(events: EventTarget, name: string): Promise<CustomEvent<Recorded>> {
  return new Promise((resolve) => {
    // Only these kinds are handled above.
    events.addEventListener(name, (event) => resolve(event as CustomEvent<Recorded>), { once: true });
  });
}

async function record(request: IncomingMessage, url: URL, stage: string): Promise<Recorded> {
  const body = Buffer.concat(await request.toArray());
  const type = request.headers['content-type'] ?? '';
  return {
    stage,
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    json: () => JSON.parse(body.toString('utf8')),
    form: () => new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData(),
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = {} }: Reply): void {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const type = raw ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(raw ? body : JSON.stringify(body));
}
