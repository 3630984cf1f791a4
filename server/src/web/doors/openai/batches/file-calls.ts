import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { bodyTooLarge } from '../../../../base/http/json-body.ts';
import { AppError } from '../../../../errors.ts';
import { cleanText } from '../../../../jobs/admission/clean-text.ts';
import { type BatchFile, findFile, listFiles } from '../../../../jobs/batch-files/batch-file-store.ts';
import { dropFile, keepFile, readFile, unknownFile } from '../../../../jobs/batch-files/keep-file.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { wrongField } from '../../door-errors.ts';
import { type Fields, oneOf, take } from '../fields.ts';
import { toSeconds } from '../unix-time.ts';
import { type FoundBatch, findBatchOfFile } from './find-batch.ts';
import { fileName, type Part, parseFileName, partName } from './ids.ts';
import { presentPage, readPage } from './pages.ts';
import { type FileForm, readFileForm } from './read-file-form.ts';
import { writePart } from './write-part.ts';

/** The maximum size of a file, the same as for the JSON of our own batches. */
export const maxFileBytes = 16 * 1024 * 1024;
const maxFormBytes = maxFileBytes + 16 * 1024;
const maxNameLength = 255;

export function registerFileCalls(scope: FastifyInstance, deps: DoorDeps): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(noForm()));
  const ofForm = { maxBytes: maxFormBytes, assertType() {} };
  scope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, payload: RequestPayload) =>
    deps.bodies.read(request, payload, { ...ofForm, reader: () => readFileForm(request) }),
  );

  scope.post('/files', { bodyLimit: maxFormBytes }, async (request) => {
    try {
      const { accountId } = request.apiKey;
      return presentFile(await keepFile(deps, { accountId, ...readNewFile(request.body) }));
    } finally {
      request.body = undefined;
      deps.bodies.release(request);
    }
  });

  scope.get<{ Querystring: Fields }>('/files', async ({ apiKey: { accountId }, query }) => {
    const { purpose = 'batch' } = query;
    const { limit, after, order } = readPage(query);
    const past = after === undefined ? undefined : idOfFile(after).id;
    const files =
      purpose === 'batch'
        ? await listFiles(deps.database.read, { accountId, after: past, order, limit: limit + 1 })
        : [];
    return presentPage(files.map(presentFile), limit);
  });

  scope.get<{ Params: { file_id: string } }>('/files/:file_id', async ({ apiKey, params }) => {
    const { id, part } = idOfFile(params.file_id);
    if (part) return presentPart(await findBatchOfFile(deps, apiKey, { id, part }), part);
    const file = await findFile(deps.database.read, { accountId: apiKey.accountId, id });
    if (!file) throw unknownFile();
    return presentFile(file);
  });

  scope.get<{ Params: { file_id: string } }>('/files/:file_id/content', async (request, reply) => {
    const { apiKey, params } = request;
    const { id, part } = idOfFile(params.file_id);
    reply.type('application/jsonl');
    if (!part) return reply.send(await readFile(deps, { accountId: apiKey.accountId, id }));
    const { batch } = await findBatchOfFile(deps, apiKey, { id, part });
    return reply.send(Readable.from(writePart(deps, batch, part, clientGone(reply)), { highWaterMark: 1 }));
  });

  scope.delete<{ Params: { file_id: string } }>(
    '/files/:file_id',
    async ({ apiKey, params: { file_id: name } }) => {
      const { id, part } = idOfFile(name);
      if (part)
        throw new AppError(
          'invalid_request',
          'The output of a batch cannot be deleted: it is removed together with the images.',
        );
      await dropFile(deps, { accountId: apiKey.accountId, id });
      return { id: name, object: 'file', deleted: true };
    },
  );
}

function idOfFile(name: string): { id: string; part: Part | undefined } {
  const found = parseFileName(name);
  if (!found) throw unknownFile();
  return found;
}

function noForm(): AppError {
  return new AppError('unsupported_media_type', 'Send a form (multipart/form-data) with file and purpose.');
}

function readNewFile(body: unknown): { name: string; content: Buffer } {
  if (body === undefined || body === null) throw noForm();
  const { fields, file } = body as FileForm; // the parser created it, and refused anything else
  oneOf(fields, 'purpose', ['batch']) ?? missing('purpose');
  for (const name of Object.keys(fields))
    if (take(fields, name) !== undefined) throw wrongField(`/${name}`, `${name} ${whyNot(name)}`);
  if (!file) return missing('file');
  if (file.content.length === 0) throw wrongField('/file', 'The file is empty.');
  if (file.content.length > maxFileBytes) throw bodyTooLarge(maxFileBytes, 'A file');
  return { name: cleanText(file.name).slice(0, maxNameLength), content: file.content };
}

/** Says why a field is refused. Forms write an object's fields like `expires_after[seconds]`. */
function whyNot(name: string): string {
  return /^expires_after\b/.test(name)
    ? 'is not supported: a file is kept as long as prompts are, or until you delete it.'
    : 'cannot be honoured: leave it out.';
}

function missing(field: string): never {
  throw wrongField(`/${field}`, `Send ${field}.`);
}

function presentFile({ id, bytes, name, createdAt }: BatchFile) {
  return {
    id: fileName(id),
    object: 'file',
    purpose: 'batch',
    filename: name,
    bytes,
    created_at: toSeconds(createdAt),
    status: 'processed',
  };
}

/** `bytes` is 0, because the length is unknown until the part is written. */
function presentPart({ batch }: FoundBatch, part: Part) {
  return {
    id: partName(batch.id, part),
    object: 'file',
    purpose: 'batch_output',
    filename: `${part}.jsonl`,
    bytes: 0,
    created_at: toSeconds(batch.finishedAt ?? batch.createdAt),
    status: 'processed',
  };
}
