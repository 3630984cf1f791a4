import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Siteverify extends AsyncDisposable {
  url: string;
  asked: Record<string, string>[];
  earn(from?: { host?: string | null }): string;
  expire(token: string): void;
  instead: { status: number; text: string } | 'silence' | null;
}

export const secret = 'the-secret-of-the-site';

/** @param usedBefore the vendor's code for a token that is used or expired */
export async function startSiteverify(usedBefore: string): Promise<Siteverify> {
  const asked: Record<string, string>[] = [];
  const earned = new Map<string, string | null>();
  const verdict = ({ secret: given, response = '' }: Record<string, string>) => {
    const failed = (code: string) => ({ success: false, 'error-codes': [code] });
    if (given !== secret) return failed('invalid-input-secret');
    const host = earned.get(response);
    if (host === undefined)
      return failed(response.startsWith('earned-') ? usedBefore : 'invalid-input-response');
    earned.delete(response);
    return { success: true, challenge_ts: '2026-11-26T12:00:00Z', hostname: host, 'error-codes': [] };
  };
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const form = Object.fromEntries(new URLSearchParams(text));
    asked.push(form);
    const { instead } = siteverify;
    if (instead === 'silence') return;
    reply.writeHead(instead?.status ?? 200, { 'content-type': 'application/json' });
    reply.end(instead?.text ?? JSON.stringify(verdict(form)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const siteverify: Siteverify = {
    ...{ url: `http://127.0.0.1:${port}/siteverify`, asked, instead: null },
    earn({ host = '127.0.0.1' } = {}) {
      const token = `earned-${earned.size}-${asked.length}-${Math.random()}`;
      earned.set(token, host);
      return token;
    },
    expire: (token) => void earned.delete(token),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return siteverify;
}
