import { isUuid } from '../../../base/std/ids.ts';
import { AppError } from '../../../errors.ts';
import { resultLink } from '../../../images/image-links.ts';
import { getJob } from '../../../jobs/get-job.ts';
import type { DoorDeps } from '../door-deps.ts';

/**
 * Returns a link to an image. `image` is a URL or the id of a job, and `pointer` is its place in the request.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function linkImage(
  deps: Pick<DoorDeps, 'readJob' | 'links'>,
  accountId: string,
  image: string,
  pointer: string,
): Promise<string> {
  if (/^https?:\/\/./.test(image)) return image;
  if (!isUuid(image)) throw unusable(pointer, notAnImage);
  const job = await getJob(deps, { accountId, jobId: image });
  if (!job.image) throw unusable(pointer, `is the job ${image}, which has no image: it is ${job.status}.`);
  return resultLink(deps.links, job.id, job.image);
}

const notAnImage = 'must be a URL that begins with http:// or https://, or the job_id of an earlier image.';

function unusable(pointer: string, detail: string): AppError {
  const [, name = '', index] = pointer.split('/');
  const what = index === undefined ? `"${name}"` : `Entry ${Number(index) + 1} of "${name}"`;
  return new AppError('invalid_request', `${what} ${detail}`, { errors: [{ pointer, detail }] });
}
