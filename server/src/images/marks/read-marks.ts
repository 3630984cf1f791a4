/** What a file says of its origin. Anybody can write it: it is a claim, not a proof. */
export interface FoundMarks {
  /** The last part of IPTC's `DigitalSourceType`; null without. */
  sourceType: string | null;
  /** Of the job that the file says it is the result of. */
  jobId: string | null;
  /** There is a C2PA manifest, which is a JUMBF box in every image format. */
  hasManifest: boolean;
}

/** XMP and manifests lie before the pixels or behind them, so both ends of a file will do. */
export function readMarks(ends: Buffer): FoundMarks {
  const start = ends.indexOf('<x:xmpmeta');
  const end = ends.indexOf('</x:xmpmeta>', Math.max(0, start));
  const xmp = start === -1 || end === -1 ? '' : ends.toString('utf8', start, Math.min(end, start + mostXmp));
  const [, sourceType = null] = /newscodes\/digitalsourcetype\/(\w{1,60})/.exec(xmp) ?? [];
  const [, jobId = null] = /<dc:identifier[^>]{0,200}>([0-9a-f-]{36})</.exec(xmp) ?? [];
  return { sourceType, jobId, hasManifest: ends.includes('jumdc2pa') };
}

/** Ours has less than 2,000 bytes. */
const mostXmp = 65_536;
