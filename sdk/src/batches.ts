import type { CallOptions } from './account-calls.ts';
import { BatchWaitTimedOut, NetworkError } from './errors.ts';
import { type Paged, paged } from './pages.ts';
import { withQuery } from './paths.ts';
import { readAnswer, readLines } from './read-answer.ts';
import { longestBodyMs, make, send, type Transport } from './send.ts';
import { sleep } from './sleep.ts';
import type {
  Batch,
  BatchCreated,
  BatchQuery,
  BatchQuote,
  BatchRequest,
  BatchResult,
  Page,
} from './types.ts';

export interface BatchCreateOptions extends CallOptions {
  /**
   * The idempotency key of one batch. By default, each call has a fresh key, so that its retries never make a second
   * batch.
   */
  idempotencyKey?: string | undefined;
  /** Your name for the batch, shown in lists. */
  name?: string | undefined;
  /** A URL called when all jobs of the batch have ended, instead of the endpoints that name `batch.completed`. */
  callbackUrl?: string | undefined;
}

export interface BatchWaitOptions extends CallOptions {
  /** Called with the batch when the wait begins, and whenever its counts have changed. */
  onChange?: ((batch: Batch) => void) | undefined;
  /** Throws `BatchWaitTimedOut` after this time. By default, the wait has no time limit. */
  timeoutMs?: number | undefined;
}

const firstPauseMs = 500;
const longestPauseMs = 5000;
const pauseGrowth = 1.5;

/** The calls about batches, each of which has many requests: `darkroom.batches`. */
export class Batches {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a batch of up to 10,000 requests and reserves their price. Accepts all of them or none. */
  create(
    requests: readonly BatchRequest[],
    { idempotencyKey, name, callbackUrl, signal }: BatchCreateOptions = {},
  ): Promise<BatchCreated> {
    return make<BatchCreated>(this.#transport, {
      path: '/batches',
      idempotencyKey,
      body: { name, requests, callback_url: callbackUrl },
      extraTimeMs: longestBodyMs,
      signal,
    });
  }

  /** Quotes the price of all requests, and whether they would be accepted. Creates nothing. */
  quote(requests: readonly BatchRequest[], { signal }: CallOptions = {}): Promise<BatchQuote> {
    return send<BatchQuote>(this.#transport, {
      method: 'POST',
      path: '/batches?dry_run=true',
      body: { requests },
      extraTimeMs: longestBodyMs,
      signal,
    });
  }

  retrieve(batchId: string, { signal }: CallOptions = {}): Promise<Batch> {
    return send<Batch>(this.#transport, { method: 'GET', path: batchPath(batchId), signal });
  }

  /** Newest first. */
  list(query: BatchQuery = {}, { signal }: CallOptions = {}): Paged<Batch> {
    return paged((place) => {
      const path = withQuery('/batches', { ...query, ...place });
      return send<Page<Batch>>(this.#transport, { method: 'GET', path, signal });
    });
  }

  /** Yields the jobs in the order of the requests, in their current state. Continues after a broken connection. */
  async *results(batchId: string, { signal }: CallOptions = {}): AsyncGenerator<BatchResult> {
    for (let next = 0; ; ) {
      const begin = next;
      try {
        const bytes = readAnswer(this.#transport, `${batchPath(batchId)}/results`, signal);
        for await (const line of readLines(bytes)) {
          const result = JSON.parse(line) as BatchResult; // the shape in types.ts
          if (result.index < next) continue;
          next = result.index + 1;
          yield result;
        }
        return;
      } catch (error) {
        const mayGoOn = error instanceof NetworkError && this.#transport.maxRetries > 0;
        if (!mayGoOn || next === begin) throw error;
      }
    }
  }

  /** Downloads the images that exist now as a zip archive, perhaps of many gigabytes, in pieces as they arrive. */
  images(batchId: string, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.#transport, `${batchPath(batchId)}/images.zip`, signal);
  }

  /**
   * Cancels the unfinished jobs of a batch, and releases their price. Finished images stay. A large batch has the
   * status `cancelling` for a while.
   */
  cancel(batchId: string, { signal }: CallOptions = {}): Promise<Batch> {
    return send<Batch>(this.#transport, { method: 'POST', path: `${batchPath(batchId)}/cancel`, signal });
  }

  /** Waits until all jobs of the batch have ended, whether done or failed. */
  async wait(batchId: string, { onChange, timeoutMs, signal }: BatchWaitOptions = {}): Promise<Batch> {
    const deadlineMs = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY);
    let seen = '';
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth)) {
      const batch = await this.retrieve(batchId, { signal });
      const counts = JSON.stringify(batch.counts);
      if (counts !== seen) onChange?.(batch);
      seen = counts;
      if (batch.finished_at !== null) return batch;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new BatchWaitTimedOut(batch);
      await sleep(Math.min(pauseMs, leftMs), signal);
    }
  }
}

function batchPath(batchId: string): string {
  return `/batches/${encodeURIComponent(batchId)}`;
}
