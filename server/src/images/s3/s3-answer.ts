import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { StoreError, StoreUnavailable } from '../image-store.ts';
import { textOf } from './s3-listing.ts';

/** Errors are a few hundred bytes long. The rest of a longer answer is dropped. */
const maxErrorBytes = 16 * 1024;
/** Matches a word such as `NoSuchBucket`, but not access keys, which are all capitals. */
const errorCodePattern = /^(?=.*[a-z])[A-Z][A-Za-z0-9.]{1,63}$/;
const regionPattern = /^[a-z0-9-]{1,40}$/;

/** Accepts success and a missing object (404). @throws StoreError with the store's error code for everything else */
export async function assertAnswer(answer: Dispatcher.ResponseData): Promise<void> {
  const { statusCode: status, headers } = answer;
  if (status < 300) return;
  // Only the code appears in errors, because the body may contain the access key and the signed text.
  const code = textOf(await readText(answer.body, maxErrorBytes), 'Code') ?? '';
  const told = `${status}${errorCodePattern.test(code) ? ` ${code}` : ''}`;
  // A 404 means a missing object only with certain codes: versitygw sends 404 XAdminUserNotFound for a wrong access key.
  if (status === 404 && missingCodes.has(code)) return;
  if (status >= 500 || status === 429 || code === 'RequestTimeout') {
    throw new StoreUnavailable(`the object store is not available (${told})`, { status });
  }
  const region = String(headers['x-amz-bucket-region'] ?? '');
  if (status < 400 && regionPattern.test(region))
    throw new StoreError(`the bucket is in another region: ${region}`, { status });
  const why = code === 'NoSuchBucket' ? 'the bucket does not exist' : explanations[status];
  throw new StoreError(`${why ?? 'the object store refused'} (${told})`, { status });
}

/** An answer to HEAD has no body, and so no code. */
const missingCodes = new Set(['', 'NoSuchKey', 'NotFound']);

const explanations: Readonly<Record<number, string>> = {
  401: 'the object store does not know these credentials',
  403: 'the object store denies access: check the credentials and that they may get, put, delete and list',
};

/** @throws StoreError for too many bytes, and the stream's errors */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // undici yields bytes unless configured otherwise.
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new StoreError(`the object store gave an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
