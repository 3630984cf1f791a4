import Type from 'typebox';
import type { Database } from '../../../db/database.ts';
import { closed } from '../../../http/schemas.ts';
import type { ImageStore } from '../../../images/image-store.ts';
import { maxZipped, readJobIds, zipImages } from '../../../jobs/zip-images.ts';
import { apiCall } from '../../api-call.ts';

/** All that fits into the headers of a request. */
const maxLength = 16_384;

export const zipQuery = closed({
  job_ids: Type.String({
    minLength: 1,
    maxLength,
    description: `Up to ${maxZipped} ids with commas between them. An address has room for 400; more fit when each is written as its 16 bytes in base64url, with 22 characters.`,
  }),
});

export function zipCall(deps: { database: Database; images: ImageStore }) {
  return apiCall({
    tag: 'Jobs',
    operationId: 'downloadImages',
    summary: 'Download the images of jobs as one archive',
    description: 'A zip in the order of the ids, made while it is read. Jobs without an image are left out.',
    query: zipQuery,
    status: 200,
    replyType: 'application/zip',
    reply: Type.Unsafe<never>({}),
    errors: ['not_found'],
    async handle({ apiKey, query }, reply) {
      const archive = await zipImages(deps, apiKey.accountId, readJobIds(query.job_ids));
      return reply
        .type('application/zip')
        .header('content-disposition', 'attachment; filename="images.zip"')
        .send(archive);
    },
  });
}
