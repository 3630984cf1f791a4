import { type SourceType, xmpOf } from './origin-mark.ts';

/** A PNG's manifest precedes its pixels. Upstreams' manifests have about 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/** XMP for copies of a result that keeps its upstream's signature, whose manifest copies lose. Undefined without. */
export function xmpOfSigned(head: Buffer): string | undefined {
  if (!head.includes('jumdc2pa')) return undefined;
  const stated = sourceTypes.find((type) => head.includes(`/newscodes/digitalsourcetype/${type}`));
  return xmpOf({ sourceType: stated ?? 'trainedAlgorithmicMedia' }, { aigcProducer: null });
}

const sourceTypes: readonly SourceType[] = [
  'compositeWithTrainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
];
