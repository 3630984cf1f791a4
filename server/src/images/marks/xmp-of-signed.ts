import { type SourceType, xmpOf } from './origin-mark.ts';

/** The bytes to search for a PNG's manifest, which precedes the pixels. Upstreams' manifests have about 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/** Makes XMP for copies of a result with its upstream's manifest, which they lose. Undefined without a manifest. */
export function xmpOfSigned(head: Buffer): string | undefined {
  if (!head.includes('jumdc2pa')) return undefined;
  const stated = sourceTypes.find((type) => head.includes(`/newscodes/digitalsourcetype/${type}`));
  return xmpOf({ sourceType: stated ?? 'trainedAlgorithmicMedia' }, { aigcProducer: null });
}

const sourceTypes: readonly SourceType[] = [
  'compositeWithTrainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
];
