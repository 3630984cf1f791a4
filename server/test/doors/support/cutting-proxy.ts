import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  url: string;
  requests(): number;
}

/**
 * Forwards requests. Cuts the first `cuts` image requests, each as soon as `when` resolves: the server sees the
 * client leave, and once `left` resolves, the client gets 504.
 */
export async function startCuttingProxy(
  target: string,
  {
    cuts,
    when,
    left = async () => {},
  }: { cuts: number; when: (request: number) => Promise<unknown>; left?: () => Promise<unknown> },
): Promise<CuttingProxy> {
  let count = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // buffers, because no encoding is set
    const body = Buffer.concat(chunks);
    const upstream = passOn(target, request, response, body);
    if (!isForImage(request, body)) return;
    count += 1;
    const own = count;
    await when(own);
    if (own > cuts || response.writableEnded) return;
    upstream.destroy();
    await left();
    response.writeHead(504, { 'content-type': 'text/plain' }).end('Gateway Time-out');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isForImage({ method }: IncomingMessage, body: Buffer): boolean {
  return (
    method === 'POST' && !/"method":"(?!tools\/call)/.test(body.toString('latin1').replaceAll('": "', '":"'))
  );
}

function passOn(
  target: string,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): http.ClientRequest {
  const { host: _own, ...others } = headers;
  const upstream = http.request(`${target}${url}`, { method, headers: others });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => {}); // the error of a connection that we or the client cut
  response.on('close', () => upstream.destroy());
  upstream.end(body);
  return upstream;
}
