import { availableParallelism } from 'node:os';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';

/**
 * The most inputs of a request. All are fetched at once: one that waited for a slot would lose time from its
 * limit.
 */
export const maxInputs = 14;

/** The most that a response from a client's server may cost us. Tests use smaller limits. */
export interface FetchLimits {
  /** The time for all downloads of one request together, redirects included. */
  totalMs: number;
  /** The time to the headers of one response, from the DNS lookup on; each redirect is a new response. */
  answerMs: number;
  /** The longest pause within a body. */
  silenceMs: number;
  /** The sum over all inputs of a request; an input that occurs twice counts twice. */
  totalBytes: number;
  redirects: number;
  headerBytes: number;
}

export const fetchLimits: FetchLimits = {
  // Clients wait this long for the answer to their create; many give up after 30 s.
  totalMs: 20_000,
  answerMs: 5_000,
  silenceMs: 5_000,
  totalBytes: 41_943_040,
  // Enough for http → https → www → CDN; longer chains are loops or abuse.
  redirects: 3,
  headerBytes: 16_384,
};

/**
 * Sixteen full requests. A download holds a socket, an open file and up to 256 KB that are not written yet.
 */
export const downloadsInProcess = 16 * maxInputs;
/** A quarter, so that deliberately slow servers do not block other customers' downloads. */
export const downloadsPerOwner = downloadsInProcess / 4;

/** The disk space for an owner's temporary files: four requests of the largest size. Ordinary ones are far smaller. */
export const bytesPerOwner = 4 * fetchLimits.totalBytes;
export const bytesInProcess = 16 * fetchLimits.totalBytes;

/** The most that decoding one image may cost. */
export interface DecodeLimits {
  /** Enough for phones (48 to 50 megapixels); 200 MB of memory when decoded. */
  pixels: number;
  /** The time for one image, from passing it to a running child. 50 megapixels need 1 s on a slow, busy core. */
  imageMs: number;
  /** The longest side of results: Google's models scale larger images down to this themselves. */
  longSide: number;
  /**
   * Vertex accepts inline images up to 7 MB, Gemini requests up to 100 MB; 14 of these fit both, base64
   * included.
   */
  outputBytes: number;
  /** The child exits when its resident memory exceeds this. */
  childBytes: number;
}

export const decodeLimits: DecodeLimits = {
  pixels: 50_000_000,
  imageMs: 5_000,
  longSide: 3072,
  outputBytes: 5_000_000,
  childBytes: 900_000_000,
};

/**
 * Decoding only uses processor time, so more at once than there are processors would not be faster. Each may need `childBytes`,
 * and a machine of 512 MB has the 70 MB of one to spare, not of two.
 */
export const decodersInProcess = Math.max(
  1,
  Math.min(availableParallelism(), Math.floor(usableMemory() / decodeLimits.childBytes)),
);
/** The time from the start of a child until it can decode: 0.3 s, and many times that on a busy machine. */
export const childStartMs = 15_000;
/** An idle decoder holds about 70 MB, too much for an idle server. */
export const decoderIdleMs = 15_000;
