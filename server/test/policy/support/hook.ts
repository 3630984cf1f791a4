import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  headers: IncomingHttpHeaders;
  body: {
    input_type: 'request' | 'response';
    texts: string[];
    images: string[];
    model: string;
    request_data: Record<string, string>;
  };
}

export interface Hook extends AsyncDisposable {
  url: string;
  asked: Asked[];
  answer: (asked: Asked) => object | number | Promise<object | number>;
}

export async function startHook(): Promise<Hook> {
  const asked: Asked[] = [];
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const one: Asked = { headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    const answer = await hook.answer(one);
    reply.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const hook: Hook = {
    url: `http://127.0.0.1:${port}/beta/litellm_basic_guardrail_api`,
    asked,
    answer: () => ({ action: 'NONE' }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hook;
}
