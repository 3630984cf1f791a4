import type { Job } from '@darkroom/server/panel-contract';
import type { QueryClient } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import type { InputImage } from './input-images.tsx';

/** The link to a job's image, or to the job's nth input counted from 0; undefined if the image was deleted. */
export function linkIn(job: Job, input: number | undefined): string | undefined {
  return input === undefined ? job.result?.image_url : job.input_images_urls[input];
}

/** Returns the links to a create's inputs. Fetches fresh links to jobs' images, because links expire after a day. */
export function linksOf(
  client: QueryClient,
  accountId: string,
  inputs: readonly InputImage[],
): Promise<string[]> {
  return Promise.all(
    inputs.map(async (image) => {
      if ('url' in image) return image.url;
      const params = { account_id: accountId, job_id: image.job_id };
      const { job } = await client.fetchQuery(
        read('GET /panel/accounts/:account_id/jobs/:job_id', { params }),
      );
      const link = linkIn(job, image.input);
      if (link === undefined) throw new Error(t('An input image was deleted. Remove it first.'));
      return link;
    }),
  );
}
