import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  bytes: number;
}

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
/** The time limit of a request, longer than any of the harness's requests should take, even on a busy machine. */
const patienceMs = 20_000;

/** Sends a request unchanged: `fetch` would add headers and refuse some. @throws Error if there is no answer */
export function send(url: string, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Sets the length, because for some methods Node would send neither a length nor chunks.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(`${url}${path}`, {
      method,
      headers: { ...length, ...headers },
      agent,
      timeout: patienceMs,
    });
    sent.on('timeout', () => sent.destroy(new Error('there was no answer in time')));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      const answer = () => {
        const whole = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: whole.length,
          // Decoded on demand, because exports and images may be megabytes large.
          get body() {
            return whole.toString();
          },
        });
      };
      // Does not read a stream, because it would stay open.
      if (/event-stream/.test(response.headers['content-type'] ?? '')) {
        answer();
        return void sent.destroy();
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', answer);
      response.on('error', reject);
    });
    sent.end(body);
  });
}

// The maximum size of a refusal, far above the size of real ones.
const mostRefusalBytes = 64 * 1024;

export function codeOf(answer: Answer): string | undefined {
  if (answer.bytes > mostRefusalBytes) return undefined;
  try {
    const { code, error } = JSON.parse(answer.body) as {
      code?: unknown;
      error?: { data?: { code?: unknown } };
    };
    if (typeof code === 'string') return code;
    return typeof error?.data?.code === 'string' ? error.data.code : undefined;
  } catch {
    return undefined;
  }
}

export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
