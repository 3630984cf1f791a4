/** Input images of one request. All are fetched at once: one that waited for a free place would lose time it was promised. */
export const maxInputs = 14;

/** What an answer from a stranger's server may cost us. Tests use smaller ones. */
export interface FetchLimits {
  /** For all downloads of one request together, redirects included. */
  totalMs: number;
  /** For one answer's headers, from the lookup of its name on; each redirect is a new answer. */
  answerMs: number;
  /** Longest silence within a body. */
  silenceMs: number;
  /** Over all inputs of a request; an input that stands twice counts twice. */
  totalBytes: number;
  redirects: number;
  headerBytes: number;
}

export const fetchLimits: FetchLimits = {
  // Clients wait for the answer to their create call meanwhile; many give up at 30 s.
  totalMs: 20_000,
  answerMs: 5_000,
  silenceMs: 5_000,
  totalBytes: 41_943_040,
  // Enough for http → https → www → CDN; longer chains are loops or games.
  redirects: 3,
  headerBytes: 16_384,
};

/** Sixteen full requests. A download holds a socket, an open file and up to 256 KB that are not written yet. */
export const downloadsInProcess = 16 * maxInputs;
/** A quarter: servers that answer slowly on purpose keep no other customer from downloading. */
export const downloadsPerOwner = downloadsInProcess / 4;

/** On disk, for temporary files: four requests of the largest size. Honest ones come and go with far less. */
export const bytesPerOwner = 4 * fetchLimits.totalBytes;
export const bytesInProcess = 16 * fetchLimits.totalBytes;

/** What one image may cost to decode. */
export interface DecodeLimits {
  /** Wide enough for phones (48 to 50 megapixels); 200 MB of memory when decoded. */
  pixels: number;
  /** For one image, from handing it to a child that runs. 50 megapixels need 1 s on a slow core that is busy. */
  imageMs: number;
  /** Results have no longer side: Google's models scale larger images down to this themselves. */
  longSide: number;
  /** Inline images of Vertex end at 7 MB, requests to Gemini at 100 MB; 14 of these fit both, base64 included. */
  outputBytes: number;
  /** The child ends itself beyond this much resident memory. */
  childBytes: number;
}

export const decodeLimits: DecodeLimits = {
  pixels: 50_000_000,
  imageMs: 5_000,
  longSide: 3072,
  outputBytes: 5_000_000,
  childBytes: 900_000_000,
};

/** Decoding is all processor time; more at once only take turns, and each may need `childBytes`. */
export const decodersInProcess = 2;
/** From the start of a child until it can decode: 0.3 s, and many times that on a busy machine, which is no image's fault. */
export const childStartMs = 15_000;
/** A decoder at rest holds about 70 MB, which an idle server should not. */
export const decoderIdleMs = 15_000;
