import { NetworkError } from './errors.ts';
import { withRetries } from './retry.ts';
import { exchange, headersOf, type Transport } from './send.ts';

/**
 * Yields the bytes of a long answer as they arrive. Retries the request until an answer begins. Throws `NetworkError`
 * if the answer then breaks off, or stalls for the request timeout.
 */
export async function* readAnswer(
  transport: Transport,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const url = transport.baseUrl + path;
  const init = { headers: headersOf(transport, {}) };
  const body = await withRetries(transport, signal, () =>
    exchange(transport, url, init, transport.requestTimeoutMs, signal, async (answer) => answer.body),
  );
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), transport.requestTimeoutMs);
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError(url, error);
  } finally {
    await reader.cancel().catch(() => {}); // the rest of a broken connection
  }
}

export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}

async function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('The answer stopped.', 'TimeoutError')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
