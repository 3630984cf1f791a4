import type { ListedObject } from '../image-store.ts';

export interface Page {
  objects: ListedObject[];
  /** The continuation token; absent on the last page. */
  next?: string;
}

/** Needs no XML parser, because these elements contain only text, with five named entities and character numbers. */
export function parseListing(xml: string): Page {
  const objects: ListedObject[] = [];
  for (const entry of xml.split('<Contents>').slice(1)) {
    const bytes = Number(textOf(entry, 'Size') ?? Number.NaN);
    const modifiedMs = Date.parse(textOf(entry, 'LastModified') ?? '');
    const key = textOf(entry, 'Key');
    if (key === undefined || !Number.isSafeInteger(bytes) || Number.isNaN(modifiedMs)) {
      throw new TypeError('an entry of the listing has no key, size or date');
    }
    objects.push({ key, bytes, modifiedMs });
  }
  if (!xml.trimEnd().endsWith('</ListBucketResult>')) throw new TypeError('the answer is no whole listing');
  if (textOf(xml, 'IsTruncated') !== 'true') return { objects };
  const next = textOf(xml, 'NextContinuationToken');
  if (next === undefined || next === '') throw new TypeError('the listing breaks off without saying where');
  return { objects, next };
}

export function textOf(xml: string, element: string): string | undefined {
  const found = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return found === undefined ? undefined : decodeEntities(found);
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const maxCodePoint = 0x10ffff;

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return namedEntities[name] ?? whole;
    const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return codePoint <= maxCodePoint ? String.fromCodePoint(codePoint) : whole;
  });
}
