import { type SourceType, xmpOf } from './origin-mark.ts';

/** A manifest lies before the pixels of a PNG. Those of upstreams have some 50 kB. */
export const signedHeadBytes = 1024 * 1024;

/**
 * For copies of a result that its upstream signed and that stays as it came (`keepSigned`): it has no XMP, and a copy cannot have its
 * manifest, so that a copy would say nothing. This says what the manifest does. Undefined for what has no manifest, as results from
 * before there were marks.
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
