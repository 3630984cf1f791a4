import type { Readable } from 'node:stream';

/** An answer that is not JSON: a stream with a media type. */
interface Download {
  mediaType: string;
  /** Null: shown in the browser, not saved. */
  fileName: string | null;
  content: Readable;
}

/** Marks a download, as opposed to an answer in JSON. */
export class Streamed {
  readonly download: Download;

  constructor(download: Download) {
    this.download = download;
  }
}
