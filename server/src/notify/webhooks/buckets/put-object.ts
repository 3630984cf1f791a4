import type { Agent } from 'undici';
import { orAborted } from '../../../base/std/or-aborted.ts';
import { StoreError, StoreUnavailable } from '../../../images/image-store.ts';
import { openS3Client, type S3Call } from '../../../images/s3/s3-client.ts';
import type { AttemptResult, DeliveryFailure } from '../delivery.ts';
import { wordFor } from '../send-webhook.ts';
import type { CheckTarget } from '../webhook-target.ts';
import type { BucketKey } from './bucket-key.ts';
import { reachedAt, readBucket } from './bucket-target.ts';

export interface BucketAccess {
  url: string;
  key: BucketKey;
}

export interface PutContext {
  /** The guarded agent, as for webhooks. */
  agent: Agent;
  checkTarget: CheckTarget;
  signal: AbortSignal;
}

type NewObject = Required<Pick<S3Call, 'body' | 'mediaType'>> & Pick<S3Call, 'metadata'> & { name: string };

/** Long enough for 20 MB at 6 Mbit/s, and shorter than a delivery's lease. */
const putMs = 30_000;

/** Makes one attempt to put an object. Never throws for faults of the store, its network or its DNS name. */
export async function putObject(
  { url, key }: BucketAccess,
  { name, ...object }: NewObject,
  { agent, checkTarget, signal }: PutContext,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const outcome = await put();
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt), retryAfterMs: null };

  async function put(): Promise<Outcome> {
    if (!checkTarget(reachedAt(url)).ok) return { status: null, failure: 'blocked_address', answer: null };
    const bucket = readBucket(url);
    await using client = await openS3Client({ ...bucket, credentials: key, agent });
    const path = bucket.prefix === '' ? name : `${bucket.prefix}/${name}`;
    const call = { ...object, method: 'PUT', object: path, timeoutMs: putMs } as const;
    try {
      const sent = client.send(call, async ({ statusCode, body }) => {
        if (statusCode !== 404) await body.dump();
        return statusCode;
      });
      const status = await orAborted(sent, signal);
      // The client reports 404 as a missing object, but for a PUT it means that the bucket is missing.
      if (status === 404)
        return { status, failure: 'bucket_refused', answer: 'the bucket or path does not exist (404)' };
      return { status, failure: null, answer: null };
    } catch (error) {
      if (signal.aborted) return { status: null, failure: 'interrupted', answer: null };
      if (!(error instanceof StoreError)) throw error;
      return { status: error.status, failure: failureOf(error), answer: error.message };
    }
  }
}

type Outcome = Pick<AttemptResult, 'status' | 'failure' | 'answer'>;

function failureOf(error: StoreError): DeliveryFailure {
  if (!(error instanceof StoreUnavailable)) return 'bucket_refused';
  if (error.status !== null) return 'status';
  const { cause } = error;
  return cause instanceof Error && cause.name === 'AbortError' ? 'timed_out' : wordFor(cause);
}
