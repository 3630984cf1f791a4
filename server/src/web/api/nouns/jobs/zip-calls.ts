import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { closed } from '../../../../base/http/schemas.ts';
import type { ImageStore } from '../../../../images/image-store.ts';
import { maxZipped, readJobIds, zipImages } from '../../../../jobs/zip-images.ts';
import { accountCall } from '../../account-call.ts';
import { Streamed, streamed } from '../../streamed.ts';

/** All that fits into the headers of a request. */
const maxLength = 16_384;

const zipQuery = closed({
  job_ids: Type.String({
    minLength: 1,
    maxLength,
    description: `Up to ${maxZipped} ids with commas between them. An address has room for 400; more fit when each is written as its 16 bytes in base64url, with 22 characters.`,
  }),
});

export function zipCall(deps: { database: Database; images: ImageStore }) {
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
      const content = await zipImages(deps, accountId, readJobIds(query.job_ids));
      return new Streamed({ mediaType: 'application/zip', fileName: 'images.zip', content });
    },
  });
}
