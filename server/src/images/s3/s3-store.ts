import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { checkStore, removeAbandonedChecks } from '../check-store.ts';
import {
  assertKey,
  type ByteRange,
  type ImageStore,
  type ListedObject,
  type StoredObject,
  StoreError,
} from '../image-store.ts';
import { assertPrefix, isKey } from '../listed-keys.ts';
import { readWhole } from '../read-whole.ts';
import { readText } from './s3-answer.ts';
import { openS3Client, type S3Client, type S3Options, s3TimeoutsMs } from './s3-client.ts';
import { type Page, parseListing } from './s3-listing.ts';

/** The maximum size of a put. Its body is kept in memory, to be hashed and repeated. A result has at most 60 MB. */
const maxObjectBytes = 64 * 1024 * 1024;
/** Enough for a page of 1,000 entries of at most 8 KiB. */
const maxListingBytes = 8 * 1024 * 1024;

/** Amazon S3 and compatible stores show only whole objects. */
export async function openS3Store(options: S3Options): Promise<ImageStore> {
  const client = await openS3Client(options);
  const timeoutsMs = options.timeoutsMs ?? s3TimeoutsMs;
  const root = options.prefix === '' ? '' : `${options.prefix}/`;
  const store: ImageStore = {
    kind: 's3',
    async put(key, body, { mediaType, bytes }) {
      const whole = await takeBody(key, body, bytes);
      const call = {
        method: 'PUT',
        object: root + key,
        body: whole,
        mediaType,
        timeoutMs: timeoutsMs.put,
      } as const;
      await client.send(call, finishPut);
    },
    async get(key, range) {
      assertKey(key);
      return await client.send(
        { method: 'GET', object: root + key, ...(range && { range }), timeoutMs: timeoutsMs.other },
        (answer) => openObject(answer, range),
      );
    },
    async remove(key) {
      assertKey(key);
      await client.send({ method: 'DELETE', object: root + key, timeoutMs: timeoutsMs.other }, finish);
    },
    list(prefix) {
      assertPrefix(prefix);
      return listAll(client, root, prefix, timeoutsMs.list);
    },
    check: () => checkStore(store),
    sweep: async () => ({ removed: await removeAbandonedChecks(store, Date.now()) }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
    },
  };
  return store;
}

async function takeBody(key: string, body: Uint8Array | Readable, bytes: number): Promise<Uint8Array> {
  try {
    assertKey(key);
    if (bytes > maxObjectBytes)
      throw new StoreError(`an object store takes at most ${maxObjectBytes} bytes, not ${bytes}`);
    return await readWhole(body, bytes);
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}

async function finish(answer: Dispatcher.ResponseData): Promise<void> {
  if (answer.statusCode !== 404) await answer.body.dump();
}

async function finishPut(answer: Dispatcher.ResponseData): Promise<void> {
  if (answer.statusCode === 404) throw new StoreError('the object store has no place for this object (404)');
  await finish(answer);
}

async function openObject(
  answer: Dispatcher.ResponseData,
  range: ByteRange | undefined,
): Promise<StoredObject | undefined> {
  if (answer.statusCode === 404) return undefined;
  // undici reports a destroyed, half-read body as an error, and an unhandled error event would end the process.
  answer.body.on('error', () => undefined);
  const bytes = Number(answer.headers['content-length'] ?? Number.NaN);
  const isWanted = range
    ? answer.statusCode === 206 && bytes === range.last - range.first + 1
    : answer.statusCode === 200 && Number.isSafeInteger(bytes);
  if (isWanted) return { bytes, body: answer.body };
  answer.body.destroy();
  throw new StoreError(
    `the object store answered ${answer.statusCode} without what was asked for and its length`,
  );
}

async function* listAll(
  client: S3Client,
  root: string,
  prefix: string,
  timeoutMs: number,
): AsyncGenerator<ListedObject> {
  let after: string | undefined;
  do {
    const query = {
      'list-type': '2',
      prefix: root + prefix,
      ...(after === undefined ? {} : { 'continuation-token': after }),
    };
    const page: Page = await client.send({ method: 'GET', object: '', query, timeoutMs }, readPage);
    if (page.next !== undefined && page.next === after)
      throw new StoreError('the object store lists one page for ever');
    for (const object of page.objects) {
      const key = object.key.slice(root.length);
      if (object.key.startsWith(root + prefix) && isKey(key)) yield { ...object, key };
    }
    after = page.next;
  } while (after !== undefined);
}

async function readPage(answer: Dispatcher.ResponseData): Promise<Page> {
  if (answer.statusCode !== 200)
    throw new StoreError(`the object store cannot list the bucket (${answer.statusCode})`);
  const xml = await readText(answer.body, maxListingBytes);
  try {
    return parseListing(xml);
  } catch (cause) {
    throw new StoreError('the object store gave a listing that cannot be read', { cause });
  }
}
