/** A file's own claims about its origin. Anyone can write them, so they prove nothing. */
export interface FoundMarks {
  /** The last part of IPTC's `DigitalSourceType`. */
  sourceType: string | null;
  jobId: string | null;
  /** Whether the file has a C2PA manifest, which is a JUMBF box in every image format. */
  hasManifest: boolean;
}

/** Reads the marks in a file's first and last bytes, because XMP and manifests come before or after the pixels. */
export function readMarks(ends: Buffer): FoundMarks {
  const start = ends.indexOf('<x:xmpmeta');
  const end = ends.indexOf('</x:xmpmeta>', Math.max(0, start));
  const xmp = start === -1 || end === -1 ? '' : ends.toString('utf8', start, Math.min(end, start + mostXmp));
  const [, sourceType = null] = /newscodes\/digitalsourcetype\/(\w{1,60})/.exec(xmp) ?? [];
  const [, jobId = null] = /<dc:identifier[^>]{0,200}>([0-9a-f-]{36})</.exec(xmp) ?? [];
  return { sourceType, jobId, hasManifest: ends.includes('jumdc2pa') };
}

/** The maximum number of bytes of XMP to read. Our own packet has fewer than 2,000. */
const mostXmp = 65_536;
