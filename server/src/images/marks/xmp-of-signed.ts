import { type SourceType, xmpOf } from './origin-mark.ts';

/** The bytes to search for a manifest, which precedes the pixels of a PNG. Upstreams' manifests have about 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/**
 * Builds XMP for copies of a result that keeps its upstream's signature (`keepSigned`). Copies cannot have the result's
 * manifest, so the XMP repeats its claim. Undefined without a manifest, as for results older than marks.
 */
export function xmpOfSigned(head: Buffer): string | undefined {
  if (!head.includes('jumdc2pa')) return undefined;
  const stated = sourceTypes.find((type) => head.includes(`/newscodes/digitalsourcetype/${type}`));
  return xmpOf({ sourceType: stated ?? 'trainedAlgorithmicMedia' }, { aigcProducer: null });
}

const sourceTypes: readonly SourceType[] = [
  'compositeWithTrainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
];
