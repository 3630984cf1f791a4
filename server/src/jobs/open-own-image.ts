import type { Guard } from '../guard/guard.ts';
import { badLinkDetails, type FindImage, type LinkSigner, parseImageFile } from '../images/image-links.ts';
import type { ImageStore, StoredObject } from '../images/image-store.ts';
import { readStored } from '../images/read-stored.ts';
import type { OpenOwn, OwnImage } from '../inputs/fetch-input.ts';
import { InputError } from '../inputs/input-errors.ts';

export interface OwnImageDeps {
  /** The prefix of our image links. */
  cdnUrl: () => string;
  links: Pick<LinkSigner, 'verify'>;
  images: ImageStore;
  findImage: FindImage;
}

/**
 * Lets the image of one job be the input of another without a download: the link's signature is the
 * permission. All other URLs go through the guard.
 *
 * @throws InputError for an invalid link of ours, or one to an image that was removed
 */
export function createOpenOwnImage({ cdnUrl, links, images, findImage }: OwnImageDeps): OpenOwn {
  return async (url) => {
    const base = baseOf(cdnUrl());
    if (!url.startsWith(base)) return undefined;
    const [file = '', ...rest] = url.slice(base.length).split('?');
    const asked = parseImageFile(file);
    if (!asked) throw new InputError('input_blocked', badLinkDetails.tampered);
    const verdict = links.verify({ ...asked, query: rest.join('?') });
    if (verdict !== 'ok') throw new InputError('input_blocked', badLinkDetails[verdict]);
    const found = await findImage(asked.jobId, asked.input);
    const stored = typeof found === 'string' ? undefined : await images.get(found.key);
    if (typeof found === 'string' || !stored) throw new InputError('input_unfetchable', gone);
    return ownImage(found.key, stored);
  };
}

/**
 * Why an input's URL is refused before it is fetched. Our own links are only checked when they are opened,
 * because a replay may carry one that has expired.
 */
export function checkInputUrl(
  url: string,
  guard: Pick<Guard, 'checkUrl'>,
  cdnUrl: string,
): string | undefined {
  if (url.startsWith(baseOf(cdnUrl))) return undefined;
  const verdict = guard.checkUrl(url);
  return verdict.ok ? undefined : verdict.detail;
}

function baseOf(cdnUrl: string): string {
  return `${cdnUrl}/images/`;
}

const gone = 'The image of this result link was deleted. Create its job again, or use another image.';

function ownImage(key: string, { bytes, body }: StoredObject): OwnImage {
  return { bytes, body: readStored(key, body), [Symbol.dispose]: () => body.destroy() };
}
