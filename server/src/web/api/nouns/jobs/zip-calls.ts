import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { closed } from '../../../../base/http/schemas.ts';
import type { Log } from '../../../../base/std/log.ts';
import { maxZipped, readJobIds, takeImage, zipImages } from '../../../../jobs/zip-images.ts';
import { accountCall } from '../../account-call.ts';
import { Streamed, streamed } from '../../streamed.ts';
import { openReadable } from '../images/open-rendition.ts';
import { jobParams } from './job-params.ts';
import { readTaken, type TakenDeps, takenFields } from './taken-images.ts';

/** The maximum length of `job_ids`: as much as fits into the headers of a request. */
const maxLength = 16_384;

const zipQuery = closed({
  job_ids: Type.String({
    minLength: 1,
    maxLength,
    description: `Up to ${maxZipped} ids with commas between them. A URL has room for 400; more fit if each is written as its 16 bytes in base64url, which has 22 characters.`,
  }),
  ...takenFields,
});

export interface ZipCallDeps extends TakenDeps {
  database: Database;
  log: Pick<Log, 'error'>;
}

export function zipCall(deps: ZipCallDeps) {
  return accountCall({
    tag: 'Jobs',
    operationId: 'downloadImages',
    summary: 'Download the images of jobs as one archive',
    description:
      'A zip in the order of the ids, created while it is read. Jobs without an image are left out.',
    query: zipQuery,
    replyType: 'application/zip',
    reply: streamed,
    errors: ['not_found', 'storage_unavailable'],
    async handle({ accountId, query: { job_ids, ...query } }) {
      const open = await zipImages(deps.database, accountId, readJobIds(job_ids), readTaken(deps, query));
      const content = (left: AbortSignal) => openReadable(Promise.resolve({ body: open(left) }), left);
      return new Streamed({ mediaType: 'application/zip', fileName: 'images.zip', content });
    },
  });
}

/** Downloads a job's image in any format, with a file name. The link in `result` has one format and no name. */
export function imageFileCall(deps: ZipCallDeps) {
  return accountCall({
    tag: 'Jobs',
    operationId: 'downloadImage',
    summary: 'Download the image of a job',
    description: 'Downloads the image as it was made, or in another format or size.',
    params: jobParams,
    query: closed(takenFields),
    replyType: 'image/*',
    reply: streamed,
    errors: ['not_found', 'job_not_finished', 'image_gone', 'storage_unavailable'],
    async handle({ accountId, params, query }) {
      const { job_id } = params;
      const image = await takeImage(deps.database, accountId, job_id, readTaken(deps, query));
      const onMissing = () => deps.log.error('image.missing', { key: image.key, job_id });
      return new Streamed({
        ...image,
        content: (left) => openReadable(image.open(left), left, onMissing),
      });
    },
  });
}
