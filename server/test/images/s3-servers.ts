import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  httpServer: Server;
}
const S3rver: new (options: object) => S3rver = createRequire(import.meta.url)('@20minutes/s3rver');

export async function startS3(buckets: readonly string[]): Promise<AsyncDisposable & { endpoint: string }> {
  const directory = await mkdtemp(join(tmpdir(), 's3-store-'));
  const configureBuckets = buckets.map((name) => ({ name }));
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type Fault = (incoming: IncomingMessage, answer: ServerResponse) => boolean;

export interface FaultyServer extends AsyncDisposable {
  endpoint: string;
  fault: Fault;
  /** Requests so far, as `PUT /bucket/key`. */
  requests: string[];
}

/** A proxy between the store and an S3 server (or none), which injects faults. Signatures pass through unchanged. */
export async function startFaulty(behind?: string): Promise<FaultyServer> {
  const server = createServer((incoming, answer) => {
    faulty.requests.push(`${incoming.method} ${incoming.url}`);
    if (faulty.fault(incoming, answer)) return;
    const onward = request(
      `${behind}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (from) => {
        answer.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  const faulty: FaultyServer = {
    endpoint: `http://127.0.0.1:${port}`,
    fault: () => false,
    requests: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return faulty;
}
