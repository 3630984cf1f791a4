import type { Readable } from 'node:stream';

/** What answers besides JSON: a stream with a media type. */
interface Download {
  mediaType: string;
  /** Null: shown, not saved. */
  fileName: string | null;
  content: Readable;
}

/** Tells a download from an answer that is JSON. */
export class Streamed {
  readonly download: Download;

  constructor(download: Download) {
    this.download = download;
  }
}
