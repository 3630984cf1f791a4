import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { closed, oneOf } from '../../../../base/http/schemas.ts';
import { invalidField } from '../../../../errors.ts';
import type { ImageStore } from '../../../../images/image-store.ts';
import type { Renditions } from '../../../../images/renditions/renditions.ts';
import { renditionWidths } from '../../../../images/renditions.ts';
import type { Job } from '../../../../jobs/job.ts';
import { patternWords, unknownWord, usualPattern } from '../../../../jobs/name-images.ts';
import { maxZipped, readJobIds, zipImages } from '../../../../jobs/zip-images.ts';
import { accountCall } from '../../account-call.ts';
import { Streamed, streamed } from '../../streamed.ts';
import { openRendition, readWidth } from '../images/open-image.ts';

/** All that fits into the headers of a request. */
const maxLength = 16_384;

const zipQuery = closed({
  job_ids: Type.String({
    minLength: 1,
    maxLength,
    description: `Up to ${maxZipped} ids with commas between them. An address has room for 400; more fit when each is written as its 16 bytes in base64url, with 22 characters.`,
  }),
  w: Type.Optional(
    oneOf(renditionWidths.map(String), {
      description: 'As WebP, at most so many pixels wide. Without it the images are as they were made.',
    }),
  ),
  names: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 100 },
      description: `How the files are called, without their extension: \`${usualPattern}\` unless given. Its words are ${patternWords.map((word) => `\`{${word}}\``).join(', ')}. What is not safe in a name becomes a hyphen, and names that are the same are numbered.`,
    }),
  ),
});

export interface ZipCallDeps {
  database: Database;
  images: ImageStore;
  renditions: Pick<Renditions, 'makeNow'>;
}

export function zipCall(deps: ZipCallDeps) {
  return accountCall({
    tag: 'Jobs',
    operationId: 'downloadImages',
    summary: 'Download the images of jobs as one archive',
    description: 'A zip in the order of the ids, made while it is read. Jobs without an image are left out.',
    query: zipQuery,
    status: 200,
    replyType: 'application/zip',
    reply: streamed,
    errors: ['not_found'],
    async handle({ accountId, query }) {
      const { job_ids, w, names: pattern } = query;
      const unknown = pattern && unknownWord(pattern);
      if (unknown) throw invalidField('/query/names', `knows no "{${unknown}}".`);
      const width = w === undefined ? undefined : readWidth(w);
      const smaller = async ({ id: jobId, image }: Job) =>
        image && width ? openRendition(deps, { jobId, key: image.key }, width) : undefined;
      const wanted = { jobIds: readJobIds(job_ids), pattern, ...(width && { smaller }) };
      const content = await zipImages(deps, accountId, wanted);
      return new Streamed({ mediaType: 'application/zip', fileName: 'images.zip', content });
    },
  });
}
