import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher, request } from 'undici';
import type { AwsCredentials } from '../../base/aws/aws-settings.ts';
import { type CredentialSource, CredentialsError } from '../../base/aws/credential-source.ts';
import { type Backoff, backoffMs } from '../../base/std/backoff.ts';
import { openAgent } from '../../base/std/outgoing/open-agent.ts';
import { userAgent } from '../../version.ts';
import { type ByteRange, StoreError, StoreUnavailable } from '../image-store.ts';
import type { Bucket } from '../storage-url.ts';
import { assertAnswer } from './s3-answer.ts';

export interface S3Options extends Bucket {
  credentials: AwsCredentials | CredentialSource;
  /** The time limits for one try. */
  timeoutsMs?: typeof s3TimeoutsMs;
  /** Replaces the default agent, which may reach every address. The caller closes it. */
  agent?: Agent;
}

/** A body that can be sent only once, so its call is not retried. */
export interface HashedBody {
  stream: Readable;
  bytes: number;
  sha256: string;
}

export interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Empty for the bucket itself. */
  object: string;
  query?: Readonly<Record<string, string>>;
  body?: Uint8Array | HashedBody;
  mediaType?: string;
  metadata?: Readonly<Record<string, string>>;
  range?: ByteRange;
  timeoutMs: number;
}

export interface S3Client extends AsyncDisposable {
  /** `read` gets every answer except server errors and redirects. */
  send<Result>(call: S3Call, read: (answer: Dispatcher.ResponseData) => Promise<Result>): Promise<Result>;
}

/** A put may send 64 MiB at 10 Mbit/s. Other requests are small, or only wait for the first byte. */
export const s3TimeoutsMs = { put: 60_000, list: 30_000, other: 10_000 };

const connectTimeoutMs = 5_000;
/** The longest time that a store may send nothing within an object. Pauses of a slow reader do not count. */
const silenceTimeoutMs = 30_000;
/** Every request can be repeated safely. Three tries bridge a restart; jobs have their own retries. */
const maxTries = 3;
const betweenTries: Backoff = { firstMs: 100, capMs: 1_000, jitter: 0.5 };

/** Loads its libraries on use, so that installations that keep images on a disk do not have them in memory. */
export async function openS3Client(options: S3Options): Promise<S3Client> {
  // Connections are not limited, because a download uses one while its client reads, and must not block a put.
  const [{ AwsV4Signer: Signer }, { request }, agent] = await Promise.all([
    import('aws4fetch'),
    import('undici'),
    options.agent ?? openAgent({ connectTimeoutMs, bodyTimeout: silenceTimeoutMs }),
  ]);
  const tools = { Signer, request, agent, signingKeys: new Map<string, ArrayBuffer>() };
  return {
    async send(call, read) {
      const mostTries = isStream(call.body) ? 1 : maxTries;
      for (let tries = 1; ; tries += 1) {
        try {
          return await sendOnce(tools, options, call, read);
        } catch (error) {
          if (!(error instanceof StoreUnavailable) || tries === mostTries) throw error;
        }
        await delay(backoffMs(betweenTries, tries));
      }
    },
    async [Symbol.asyncDispose]() {
      if (!options.agent) await agent.destroy();
    },
  };
}

interface Tools {
  Signer: typeof AwsV4Signer;
  request: typeof request;
  agent: Agent;
  signingKeys: Map<string, ArrayBuffer>;
}

async function sendOnce<Result>(
  tools: Tools,
  options: S3Options,
  call: S3Call,
  read: (answer: Dispatcher.ResponseData) => Promise<Result>,
): Promise<Result> {
  const { url, headers } = await sign(tools, options, call);
  // The deadline of everything until `read` ends. A body that streams for longer has its own limit, `silenceTimeoutMs`.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), call.timeoutMs);
  try {
    const answer = await tools.request(url, {
      method: call.method,
      headers,
      body: isStream(call.body) ? call.body.stream : (call.body ?? null),
      dispatcher: tools.agent,
      signal: deadline.signal,
    });
    await assertAnswer(answer);
    return await read(answer);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = deadline.signal.aborted
      ? `took longer than ${call.timeoutMs} ms`
      : `cannot be reached (${nameOf(error)})`;
    throw new StoreUnavailable(`the object store ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function sign({ Signer, signingKeys }: Tools, options: S3Options, call: S3Call) {
  const url = new URL(addressOf(options, call.object));
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const { credentials } = options;
  const signed = await new Signer({
    method: call.method,
    url: url.href,
    // The signature covers the hash, so the store refuses a body that was changed in transit.
    headers: {
      'x-amz-content-sha256': hashOf(call.body),
      ...(call.mediaType === undefined ? {} : { 'content-type': call.mediaType }),
      ...Object.fromEntries(
        Object.entries(call.metadata ?? {}).map(([name, value]) => [`x-amz-meta-${name}`, value]),
      ),
      ...(call.range && { range: `bytes=${call.range.first}-${call.range.last}` }),
    },
    ...(typeof credentials === 'function' ? await credentials().catch(storeFailure) : credentials),
    service: 's3',
    region: options.region,
    cache: signingKeys,
  }).sign();
  const length = isStream(call.body) ? { 'content-length': String(call.body.bytes) } : {};
  const headers = { 'user-agent': userAgent, ...Object.fromEntries(signed.headers), ...length };
  return { url: signed.url, headers };
}

function isStream(body: S3Call['body']): body is HashedBody {
  return body !== undefined && 'stream' in body;
}

function hashOf(body: S3Call['body']): string {
  if (isStream(body)) return body.sha256;
  return createHash('sha256')
    .update(body ?? '')
    .digest('hex');
}

/**
 * Amazon expects the bucket in the host name, where its certificate covers only one label. So a bucket with dots is in
 * the path, as other stores expect. The bucket's own address has no trailing slash, because some servers drop it before
 * they check the signature.
 */
export function addressOf({ bucket, region, endpoint }: Bucket, object: string): string {
  const path = object === '' ? '' : `/${object}`;
  if (endpoint !== undefined) return `${endpoint}/${bucket}${path}`;
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}${path}`;
  return `https://${bucket}.s3.${region}.amazonaws.com${path}`;
}

function storeFailure(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  const Failure = error.passing ? StoreUnavailable : StoreError;
  throw new Failure(error.message, { cause: error });
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.name;
}
