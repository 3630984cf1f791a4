import { AppError } from '../../errors.ts';
import { resultLink } from '../../images/image-links.ts';
import { getJob } from '../../jobs/get-job.ts';
import { isUuid } from '../../std/ids.ts';
import type { DoorDeps } from '../door-deps.ts';

/**
 * URLs of images that a request names by URL or by the id of the job that made them.
 *
 * @throws AppError `not_found`, `invalid_request`
 */
export function linkImages(
  deps: Pick<DoorDeps, 'readJob' | 'links'>,
  accountId: string,
  images: readonly string[],
): Promise<string[]> {
  return Promise.all(
    images.map(async (image, index) => {
      if (/^https?:\/\/./.test(image)) return image;
      if (!isUuid(image))
        throw unusable(
          index,
          'must be a URL that begins with http:// or https://, or the job_id of an earlier image.',
        );
      const job = await getJob(deps, { accountId, jobId: image });
      if (!job.image) throw unusable(index, `is the job ${image}, which has no image: it is ${job.status}.`);
      return resultLink(deps.links, job.id, job.image);
    }),
  );
}

function unusable(index: number, detail: string): AppError {
  return new AppError('invalid_request', `Entry ${index + 1} of "images" ${detail}`, {
    errors: [{ pointer: `/images/${index}`, detail }],
  });
}
