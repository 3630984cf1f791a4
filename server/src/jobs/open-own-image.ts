import type { LinkSigner } from '../images/image-links.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { OpenOwn } from '../inputs/fetch-input.ts';
import type { ResultImage } from './job.ts';

export interface OwnImageDeps {
  /** What links of ours begin with. */
  cdnUrl: () => string;
  links: Pick<LinkSigner, 'verify'>;
  images: ImageStore;
  findResult(jobId: string): Promise<Pick<ResultImage, 'key'> | undefined>;
}

/**
 * Takes the result of one job as the input of another without a connection: the link's signature is the permission, as
 * it is for whoever downloads it. A link that is not (or no longer) ours is left to the guard.
 */
export function createOpenOwnImage({ cdnUrl, links, images, findResult }: OwnImageDeps): OpenOwn {
  return async (url) => {
    const base = `${cdnUrl()}/images/`;
    if (!url.startsWith(base)) return undefined;
    const [, jobId = '', ext = '', query = ''] = linkPattern.exec(url.slice(base.length)) ?? [];
    if (links.verify({ jobId, ext, query }) !== 'ok') return undefined;
    const result = await findResult(jobId);
    return result && (await images.get(result.key));
  };
}

const linkPattern = /^([0-9a-f-]{36})\.(png)\?(.*)$/;
