import { type SourceType, xmpOf } from './origin-mark.ts';

/** How many bytes of a PNG to search for its manifest, which precedes the pixels. Upstreams' manifests take 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/** Makes XMP for copies of a result, because copies lose the upstream's manifest. Undefined without a manifest. */
export function xmpOfSigned(head: Buffer): string | undefined {
  if (!head.includes('jumdc2pa')) return undefined;
  const stated = sourceTypes.find((type) => head.includes(`/newscodes/digitalsourcetype/${type}`));
  return xmpOf({ sourceType: stated ?? 'trainedAlgorithmicMedia' }, { aigcProducer: null });
}

const sourceTypes: readonly SourceType[] = [
  'compositeWithTrainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
];
