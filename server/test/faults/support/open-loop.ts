import { Client } from 'undici';

export interface Answer {
  /** Null if the connection was refused or broke. */
  status: number | null;
  retryAfter: number | null;
  body: Record<string, unknown>;
  ms: number;
  error: string;
}

export interface Offered {
  answers: Answer[];
  /** Requests not sent, because too many were running. */
  withheld: number;
}

export interface OpenLoop {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: object;
  perSecond: number;
  seconds: number;
  /** The maximum number of requests at once, each on its own connection. */
  mostAtOnce: number;
  /** A request without an answer after this time is a failure, with undici's code. */
  patienceMs: number;
}

export async function openLoop(loop: OpenLoop): Promise<Offered> {
  const { perSecond, seconds, mostAtOnce, patienceMs } = loop;
  const clients: Client[] = [];
  const free: Client[] = [];
  const underWay: Promise<void>[] = [];
  const offered: Offered = { answers: [], withheld: 0 };
  const sendOne = () => {
    const client = free.pop() ?? (clients.length < mostAtOnce && open());
    if (!client) {
      offered.withheld += 1;
      return;
    }
    underWay.push(
      ask(client, loop).then((answer) => {
        offered.answers.push(answer);
        free.push(client);
      }),
    );
  };
  const open = () => {
    const client = new Client(loop.url, { connectTimeout: patienceMs, headersTimeout: patienceMs });
    clients.push(client);
    return client;
  };
  const beganAt = performance.now();
  for (let sent = 0, now = 0; now < seconds; now = (performance.now() - beganAt) / 1000) {
    for (; sent < now * perSecond; sent++) sendOne();
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  await Promise.all(underWay);
  await Promise.all(clients.map((client) => client.destroy()));
  return offered;
}

const tickMs = 5;

async function ask(client: Client, { path, headers, body }: OpenLoop): Promise<Answer> {
  const sentAt = performance.now();
  const ms = () => performance.now() - sentAt;
  try {
    const reply = await client.request({
      method: 'POST',
      path: `/api/v1${path}`,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const read = (await reply.body.json()) as Record<string, unknown>; // every answer of the API is an object
    const after = reply.headers['retry-after'];
    return {
      status: reply.statusCode,
      retryAfter: after === undefined ? null : Number(after),
      body: read,
      ms: ms(),
      error: '',
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { status: null, retryAfter: null, body: {}, ms: ms(), error: code };
  }
}
