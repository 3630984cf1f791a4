import Type, { type Static } from 'typebox';
import { payerOf } from '../../../../accounts/key-store.ts';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { readPage, type Slice } from '../../../../base/http/cursor.ts';
import { named, page, pageQuery, time } from '../../../../base/http/schemas.ts';
import { fileTypes, useSentFile } from '../../../../base/http/sent-file.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { AppError } from '../../../../errors.ts';
import { dropUpload } from '../../../../images/uploads/drop-upload.ts';
import { takeUpload, type Upload, type UploadDeps, withUrl } from '../../../../images/uploads/take-upload.ts';
import { listUploads } from '../../../../images/uploads/upload-store.ts';
import { accountCall } from '../../account-call.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';

const tag = 'Uploads';
const uploadParams = Type.Object({ upload_id: Type.String() });
const uploadId = Type.String({ format: 'uuid' });

export const uploadSchema = Type.Object(
  {
    upload_id: uploadId,
    url: Type.String({
      format: 'uri',
      description: 'Use it in `input_images_urls`, only for jobs of this account. It also shows the image.',
    }),
    width: Type.Integer({
      description: 'The width after the image was turned upright and scaled to at most 3072 pixels.',
    }),
    height: Type.Integer(),
    bytes: Type.Integer({ description: 'The stored size.' }),
    expires_at: time('When the upload is removed, 24 to 25 hours after it was created.'),
  },
  { $id: 'Upload' },
);

const file = { type: 'string', format: 'binary' };
const form = {
  title: 'UploadForm',
  type: 'object',
  properties: { file },
  required: ['file'],
  additionalProperties: false,
};
const description = `A JPEG, PNG, WebP or GIF of at most 40 MB, as the body itself or as the one file of a form, under any name. It is checked like
every input, turned upright, stripped of metadata and stored; jobs that use it keep their own copy. Sending it may take up to 15 minutes.`;

export interface UploadCallDeps {
  uploads: UploadDeps;
}

export type StoredUploadDeps = Pick<UploadDeps, 'database' | 'images' | 'links'>;

export function createUploadCall({ uploads }: UploadCallDeps): ApiCall {
  return apiCall({
    tag: 'Uploads',
    operationId: 'createUpload',
    summary: 'Upload an image to use as an input',
    description,
    content: Object.fromEntries(
      fileTypes.map((type) => [type, { schema: type.startsWith('multipart/') ? form : file }]),
    ),
    status: 201,
    reply: named(uploadSchema),
    makes: '/uploads/:upload_id',
    errors: [
      'unsupported_media_type',
      'inputs_unusable',
      'upload_limit_reached',
      'input_limit_reached',
      'storage_unavailable',
      'overloaded',
    ],
    async handle(request, reply) {
      const payer = payerOf(request.apiKey);
      const upload = await useSentFile(request, ({ source, bytes, pointer }) =>
        takeUpload(uploads, { ...payer, source, bytes, pointer, signal: clientGone(reply) }),
      );
      reply.code(201);
      return presentUpload(upload);
    },
  });
}

export function uploadCalls(deps: StoredUploadDeps) {
  const { database } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listUploads',
      summary: 'List uploads, newest first',
      description: 'Lists uploads that have not expired.',
      query: pageQuery({}),
      reply: page('UploadList', named(uploadSchema)),
      handle({ accountId, query }) {
        const read = (slice: Slice) => listUploads(database.read, { accountId, ...slice });
        return readPage(query, read, (upload) => presentUpload(withUrl(deps, upload)));
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getUpload',
      summary: 'Read an upload',
      description: 'Reads its size and expiry, but not the image itself.',
      params: uploadParams,
      reply: named(uploadSchema),
      errors: ['not_found'],
      async handle({ accountId, params: { upload_id: id } }) {
        const asked = { accountId, id, limit: 1 };
        const [found] = isUuid(id) ? await listUploads(database.read, asked) : [];
        if (!found) throw noSuchUpload();
        return presentUpload(withUrl(deps, found));
      },
    }),

    remove: accountCall({
      tag,
      operationId: 'deleteUpload',
      summary: 'Delete an upload before it expires',
      description: 'Jobs that use it keep their copy.',
      params: uploadParams,
      status: 204,
      reply: Type.Null({ description: 'It is deleted.' }),
      errors: ['not_found'],
      async handle({ accountId, params: { upload_id: uploadId } }) {
        const isGone = isUuid(uploadId) && (await dropUpload(deps, { accountId, uploadId }));
        if (!isGone) throw noSuchUpload();
        return null;
      },
    }),
  };
}

function noSuchUpload(): AppError {
  return new AppError('not_found', 'There is no such upload.');
}

function presentUpload(upload: Upload): Static<typeof uploadSchema> {
  const { id, url, width, height, bytes, expiresAt } = upload;
  return { upload_id: id, url, width, height, bytes, expires_at: toIso(expiresAt) };
}
