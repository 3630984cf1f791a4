import type { LinkSigner } from '../images/image-links.ts';
import type { ImageStore, StoredObject } from '../images/image-store.ts';
import { readStored } from '../images/read-stored.ts';
import type { OpenOwn, OwnImage } from '../inputs/fetch-input.ts';
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
    const stored = result && (await images.get(result.key));
    return stored && ownImage(result.key, stored);
  };
}

function ownImage(key: string, { bytes, body }: StoredObject): OwnImage {
  return { bytes, body: readStored(key, body), [Symbol.dispose]: () => body.destroy() };
}

const linkPattern = /^([0-9a-f-]{36})\.(png)\?(.*)$/;
