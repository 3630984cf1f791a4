import type { Guard } from '../base/guard/guard.ts';
import {
  type FindImage,
  type FoundImage,
  type ImageName,
  type LinkSigner,
  parseImageFile,
  whyNotValid,
} from '../images/image-links.ts';
import type { ImageStore, StoredObject } from '../images/image-store.ts';
import type { OpenOwn, OwnImage } from '../images/inputs/fetch-input.ts';
import { OwnLinkError } from '../images/inputs/input-errors.ts';
import { readStored } from '../images/read-stored.ts';

export interface OwnLinkDeps {
  cdnUrl: () => string;
  links: Pick<LinkSigner, 'verify'>;
  findImage: FindImage;
}

/**
 * Finds the image of one of our links; undefined for other URLs.
 * @throws OwnLinkError for an invalid link or a removed image
 */
export type FindOwnImage = (
  url: string,
  owner: string,
) => Promise<{ image: ImageName; found: FoundImage } | undefined>;

export function createFindOwnImage({ cdnUrl, links, findImage }: OwnLinkDeps): FindOwnImage {
  return async (url, owner) => {
    if (!isOwnLink(url, cdnUrl())) return undefined;
    const base = baseOf(cdnUrl());
    const [file = '', ...rest] = url.slice(base.length).split('?');
    const asked = parseImageFile(file);
    if (!asked) throw new OwnLinkError('link_invalid', notOurs);
    const verdict = links.verify({ ...asked, query: rest.join('?') });
    if (verdict !== 'ok') {
      const why = verdict === 'expired' ? 'link_expired' : 'link_invalid';
      throw new OwnLinkError(why, whyNotValid(verdict, asked.image));
    }
    const found = await findImage(asked.image);
    if (typeof found === 'string') throw gone(asked.image);
    if (found.accountId !== undefined && found.accountId !== owner)
      throw new OwnLinkError('link_invalid', notOurs);
    return { image: asked.image, found };
  };
}

/**
 * Opens the image of one of our links from the store, instead of downloading it.
 * @throws OwnLinkError, also if the image is missing
 */
export function createOpenOwnImage(findOwn: FindOwnImage, images: ImageStore): OpenOwn {
  return async (url, owner) => {
    const own = await findOwn(url, owner);
    if (!own) return undefined;
    const stored = await images.get(own.found.key);
    if (!stored) throw gone(own.image);
    return ownImage(own.found, stored, own.image);
  };
}

/**
 * Returns why an input's URL is refused before it is fetched. Never refuses our own links, because a replay may contain
 * an expired one.
 */
export function checkInputUrl(
  url: string,
  guard: Pick<Guard, 'checkUrl'>,
  cdnUrl: string,
): string | undefined {
  if (isOwnLink(url, cdnUrl)) return undefined;
  const verdict = guard.checkUrl(url);
  return verdict.ok ? undefined : verdict.detail;
}

export function jobOfLink(url: string, cdnUrl: string): string | undefined {
  const base = baseOf(cdnUrl);
  if (!url.startsWith(base)) return undefined;
  const [file = ''] = url.slice(base.length).split('?');
  const image = parseImageFile(file)?.image;
  return image?.kind === 'job' && image.input === null ? image.jobId : undefined;
}

export function isOwnLink(url: string, cdnUrl: string): boolean {
  return url.startsWith(baseOf(cdnUrl));
}

function baseOf(cdnUrl: string): string {
  return `${cdnUrl}/images/`;
}

const notOurs = whyNotValid('tampered', { kind: 'upload', uploadId: '' });

function gone({ kind }: ImageName): OwnLinkError {
  const detail =
    kind === 'upload'
      ? 'This upload was deleted. Upload the image again.'
      : 'The image of this result link was deleted. Create its job again, or use another image.';
  return new OwnLinkError('image_gone', detail);
}

function ownImage(found: FoundImage, { bytes, body }: StoredObject, { kind }: ImageName): OwnImage {
  return {
    bytes,
    body: readStored(found.key, body),
    ...(kind === 'upload' && { normalised: found }),
    [Symbol.dispose]: () => body.destroy(),
  };
}
