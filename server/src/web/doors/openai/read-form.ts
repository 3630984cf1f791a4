import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { payerOf } from '../../../accounts/key-store.ts';
import { maxBodyBytes } from '../../../base/http/json-body.ts';
import { openForm } from '../../../base/http/sent-file.ts';
import { letArriveSteadily } from '../../../base/http/slow-clients/end-slow-senders.ts';
import { maxInputs } from '../../../images/inputs/limits.ts';
import { takeUpload, type Upload } from '../../../images/uploads/take-upload.ts';
import type { DoorDeps } from '../door-deps.ts';
import { wrongField } from '../door-errors.ts';
import { createCount, holdImages, type TakenImages } from '../take-images.ts';
import type { Fields } from './fields.ts';

// The limits of a form. They are enough for twice as many fields as OpenAI's API has, for the mask, and for one file
// too many, which is then reported.
const formLimits = {
  files: maxInputs + 3,
  fields: 40,
  fieldNameSize: 100,
  fieldSize: maxBodyBytes,
  headerPairs: 20,
  headerSize: 8_192,
};

const imageField = /^image(\[\d{0,2}\])?$/;
const maskField = 'mask';

export interface SentForm {
  fields: Fields;
  images: TakenImages;
  mask: TakenImages | null;
}

/** Turns images into uploads as they arrive. A failure leaves no upload. @throws AppError, Overloaded */
export async function readForm(
  deps: DoorDeps,
  request: FastifyRequest,
  signal: AbortSignal,
): Promise<SentForm> {
  const { accountId } = request.apiKey;
  using _patience = letArriveSteadily(request.raw);
  const fields: Fields = Object.create(null) as Fields;
  const metadata: Fields = Object.create(null) as Fields;
  const uploads: Promise<Upload>[] = [];
  const masks: Promise<Upload>[] = [];
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // it may reject while nothing waits for it
  const broken = new Set<unknown>();
  let current: Readable | undefined;
  const count = createCount();

  const form = openForm(request.headers, formLimits);
  form.on('field', (name, value, _nameCut, isCut) => {
    if (isCut) failed.reject(wrongField(`/${name}`, `The field ${name} is too long.`));
    const [, key] = /^metadata\[(.*)\]$/s.exec(name) ?? [];
    const into = key === undefined ? fields : metadata;
    if ((key ?? name) in into) failed.reject(wrongField(`/${name}`, `The field ${name} was sent twice.`));
    into[key ?? name] = value;
  });
  form.on('file', (name, file) => {
    current = file;
    // A file that ends too early gives an error that blames the form, not the upload.
    file.on('error', (error) => broken.add(error));
    const list = name === maskField ? masks : uploads;
    if (list === uploads && !imageField.test(name)) {
      fields[name] = 'a file'; // its presence is a reason to refuse it
      return void file.resume();
    }
    const pointer = list === masks ? '/mask' : `/image/${uploads.length}`;
    if (list === masks && masks.length > 0) failed.reject(wrongField(pointer, 'Only one mask can be sent.'));
    if (uploads.length >= maxInputs && list === uploads) failed.reject(tooMany());
    const upload = takeUpload(deps.uploads, {
      ...payerOf(request.apiKey),
      source: count(file, pointer),
      pointer,
      signal,
    });
    upload.catch((error: unknown) =>
      failed.reject(broken.has(error) ? wrongField('', 'The form ends in the middle of a file.') : error),
    );
    list.push(upload);
  });
  form.on('filesLimit', () => failed.reject(tooMany()));
  form.on('fieldsLimit', () => failed.reject(wrongField('', 'The form has too many fields.')));
  form.on('error', (error: Error) =>
    failed.reject(wrongField('', `The form cannot be read: ${error.message}.`)),
  );
  try {
    await pass(request.raw, form, failed.promise);
    const [taken, [mask]] = await Promise.race([
      failed.promise,
      Promise.all([Promise.all(uploads), Promise.all(masks)]),
    ]);
    const pairs = Object.keys(metadata).length > 0 && { metadata: { ...metadata } };
    return {
      fields: { ...fields, ...pairs },
      images: holdImages(deps, accountId, taken),
      mask: mask ? holdImages(deps, accountId, [mask]) : null,
    };
  } catch (error) {
    current?.destroy();
    await dropAll(deps, accountId, [...uploads, ...masks]);
    throw error;
  } finally {
    // Reads the rest of the body, because a client that is still sending would not see the answer.
    request.raw.resume();
  }
}

async function dropAll(
  deps: DoorDeps,
  accountId: string,
  uploads: readonly Promise<Upload>[],
): Promise<void> {
  const settled = await Promise.allSettled(uploads);
  const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  await holdImages(deps, accountId, taken)[Symbol.asyncDispose]();
}

function tooMany(): ReturnType<typeof wrongField> {
  return wrongField('/image', `At most ${maxInputs} images can be sent.`);
}

async function pass(
  body: FastifyRequest['raw'],
  form: BusboyInstance,
  failed: Promise<never>,
): Promise<void> {
  const finished = once(form, 'finish');
  finished.catch(() => {}); // the form's errors are handled above
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    await Promise.race([new Promise((resolve) => form.write(chunk, resolve)), failed]);
  form.end();
  await Promise.race([finished, failed]);
}
