import Type, { type Static } from 'typebox';
import { payerOf } from '../../../accounts/key-store.ts';
import { AppError } from '../../../errors.ts';
import { clientGone } from '../../../http/client-gone.ts';
import { closed, named, time } from '../../../http/schemas.ts';
import { fileTypes, useSentFile } from '../../../http/sent-file.ts';
import { isUuid } from '../../../std/ids.ts';
import { toIso } from '../../../std/iso-time.ts';
import { dropUpload } from '../../../uploads/drop-upload.ts';
import { takeUpload, type Upload, type UploadDeps } from '../../../uploads/take-upload.ts';
import { apiCall } from '../../api-call.ts';

const uploadId = Type.String({ format: 'uuid' });

export const uploadSchema = Type.Object(
  {
    upload_id: uploadId,
    url: Type.String({
      format: 'uri',
      description: 'Goes into `input_images_urls`, of jobs of this account only; shows the image as well.',
    }),
    width: Type.Integer({ description: 'After turning it upright and scaling it to at most 3072 pixels.' }),
    height: Type.Integer(),
    bytes: Type.Integer({ description: 'As stored.' }),
    expires_at: time('When the upload is removed, 24 to 25 hours after it was made.'),
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
every input, turned upright, freed of metadata and stored; jobs that use it keep a copy of their own. It may take up to 15 minutes to arrive.`;

/** Images that clients hold locally. */
export function uploadCalls({ uploads }: { uploads: UploadDeps }) {
  return {
    create: apiCall({
      tag: 'Uploads',
      operationId: 'createUpload',
      summary: 'Upload an image to use as an input',
      description,
      content: Object.fromEntries(
        fileTypes.map((type) => [type, { schema: type.startsWith('multipart/') ? form : file }]),
      ),
      status: 201,
      reply: named(uploadSchema),
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
        return reply.code(201).send(presentUpload(upload));
      },
    }),

    remove: apiCall({
      tag: 'Uploads',
      operationId: 'deleteUpload',
      summary: 'Delete an upload before it expires',
      description: 'Jobs that were created with it keep their copy.',
      params: Type.Object({ upload_id: Type.String() }),
      status: 200,
      reply: closed({ upload_id: uploadId }, { title: 'UploadDeleted' }),
      errors: ['not_found'],
      async handle({ apiKey: { accountId }, params: { upload_id: uploadId } }) {
        const isGone = isUuid(uploadId) && (await dropUpload(uploads, { accountId, uploadId }));
        if (!isGone) throw new AppError('not_found', 'There is no such upload.');
        return { upload_id: uploadId };
      },
    }),
  };
}

export function presentUpload(upload: Upload): Static<typeof uploadSchema> {
  const { id, url, width, height, bytes, expiresAt } = upload;
  return { upload_id: id, url, width, height, bytes, expires_at: toIso(expiresAt) };
}
