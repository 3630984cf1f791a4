/** The claims of a file about its origin. Anyone can write them: they prove nothing. */
export interface FoundMarks {
  /** The last part of IPTC's `DigitalSourceType`; null without one. */
  sourceType: string | null;
  /** The job that, by its own claim, made the file. */
  jobId: string | null;
  /** Whether there is a C2PA manifest, which is a JUMBF box in every image format. */
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
