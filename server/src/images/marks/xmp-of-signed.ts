import { type SourceType, xmpOf } from './origin-mark.ts';

/** The bytes to search for a manifest, which precedes the pixels of a PNG. Upstreams' manifests have about 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/**
 * Builds XMP for copies of a result that keeps its upstream's signature (`keepSigned`). The result has no XMP, and a
 * copy cannot have its manifest, so this repeats the manifest's claim. Undefined without a manifest, as for results
 * from before marks existed.
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
