import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher, request } from 'undici';
import { type Backoff, backoffMs } from '../../std/backoff.ts';
import { type ByteRange, StoreError, StoreUnavailable } from '../image-store.ts';
import type { S3Credentials } from './aws-settings.ts';
import type { CredentialSource } from './role-credentials.ts';
import { assertAnswer } from './s3-answer.ts';

export interface S3Options {
  bucket: string;
  /** Goes before every key, without slashes at its ends; may be empty. */
  prefix: string;
  region: string;
  /** `https://host:port` of a store that is not Amazon's. */
  endpoint?: string;
  credentials: S3Credentials | CredentialSource;
  /** How long a call may take, its tries apart. */
  timeoutsMs?: typeof s3TimeoutsMs;
}

export interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Empty for the bucket itself. */
  object: string;
  query?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  mediaType?: string;
  range?: ByteRange;
  timeoutMs: number;
}

export interface S3Client extends AsyncDisposable {
  /** `read` gets an answer that is neither an error of the server nor a redirect, and what it returns is returned. */
  send<Result>(call: S3Call, read: (answer: Dispatcher.ResponseData) => Promise<Result>): Promise<Result>;
}

/** A put may carry 64 MiB over a line of 10 Mbit/s; the rest is small, or waits for the first byte only. */
export const s3TimeoutsMs = { put: 60_000, list: 30_000, other: 10_000 };

const connectTimeoutMs = 5_000;
/** Between two pieces of an object. A reader that takes its time does not count, only a store that sends nothing. */
const silenceTimeoutMs = 30_000;
/** Every call can be repeated safely. Three tries ride out a restart; a longer outage is for the job's own retries. */
const maxTries = 3;
const betweenTries: Backoff = { firstMs: 100, capMs: 1_000, jitter: 0.5 };

/** Loads its libraries when it is opened: an installation on disk never pays for them. */
export async function openS3Client(options: S3Options): Promise<S3Client> {
  const [{ AwsV4Signer: Signer }, undici] = await Promise.all([import('aws4fetch'), import('undici')]);
  // No cap on connections: each download holds one for as long as its client reads, and must not hold up a put.
  const agent = new undici.Agent({ connect: { timeout: connectTimeoutMs }, bodyTimeout: silenceTimeoutMs });
  const tools = { Signer, request: undici.request, agent, signingKeys: new Map<string, ArrayBuffer>() };
  return {
    async send(call, read) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await sendOnce(tools, options, call, read);
        } catch (error) {
          if (!(error instanceof StoreUnavailable) || tries === maxTries) throw error;
        }
        await delay(backoffMs(betweenTries, tries));
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
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
  // Ends with `read`, not with the answer: a body that is still streaming by then has its own limit, silence.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), call.timeoutMs);
  try {
    const answer = await tools.request(url, {
      method: call.method,
      headers,
      body: call.body ?? null,
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
    // The hash is signed with the rest: a body that is cut or altered on the way is refused by the store.
    headers: {
      'x-amz-content-sha256': createHash('sha256')
        .update(call.body ?? '')
        .digest('hex'),
      ...(call.mediaType === undefined ? {} : { 'content-type': call.mediaType }),
      ...(call.range && { range: `bytes=${call.range.first}-${call.range.last}` }),
    },
    ...(typeof credentials === 'function' ? await credentials() : credentials),
    service: 's3',
    region: options.region,
    cache: signingKeys,
  }).sign();
  return { url: signed.url, headers: Object.fromEntries(signed.headers) };
}

/**
 * Amazon wants the bucket in the host name, but its certificate covers one label only; others want it in the path.
 * The bucket itself goes without a closing slash: some servers drop it before they check the signature.
 */
function addressOf({ bucket, region, endpoint }: S3Options, object: string): string {
  const path = object === '' ? '' : `/${object}`;
  if (endpoint !== undefined) return `${endpoint}/${bucket}${path}`;
  if (bucket.includes('.')) return `https://s3.${region}.amazonaws.com/${bucket}${path}`;
  return `https://${bucket}.s3.${region}.amazonaws.com${path}`;
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.name;
}
