import { availableParallelism } from 'node:os';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';

/** All inputs of a request are fetched at once: one that waited for a slot would lose part of its time. */
export const maxInputs = 14;

/** Tests use smaller limits. */
export interface FetchLimits {
  /** The time for all downloads of one request together, including redirects. */
  totalMs: number;
  /** The time from the DNS lookup to the headers of one response. Each redirect is a new response. */
  answerMs: number;
  /** The longest pause within a body. */
  silenceMs: number;
  /** All inputs of a request together. An input that occurs twice counts twice. */
  totalBytes: number;
  redirects: number;
  headerBytes: number;
}

export const fetchLimits: FetchLimits = {
  // Clients wait for this time when they create a job, and many give up after 30 s.
  totalMs: 20_000,
  answerMs: 5_000,
  silenceMs: 5_000,
  totalBytes: 41_943_040,
  // Enough for http → https → www → CDN. Longer chains are loops or abuse.
  redirects: 3,
  headerBytes: 16_384,
};

/** Sixteen requests with the most inputs. A download uses a socket, an open file and up to 256 KB of memory. */
export const downloadsInProcess = 16 * maxInputs;
/** A quarter of the slots, so that deliberately slow servers do not block other customers' downloads. */
export const downloadsPerOwner = downloadsInProcess / 4;

/** Four requests of the largest size. Ordinary requests are far smaller. */
export const bytesPerOwner = 4 * fetchLimits.totalBytes;
export const bytesInProcess = 16 * fetchLimits.totalBytes;

export interface DecodeLimits {
  /** Enough for photographs from phones (48 to 50 megapixels), which take 200 MB of memory when decoded. */
  pixels: number;
  /** The time for one image, counted from when a running child gets it. 50 megapixels need 1 s on a slow, busy core. */
  imageMs: number;
  /** The longest side of a cleaned input: Google's models themselves scale larger images down to this. */
  longSide: number;
  /**
   * Vertex accepts inline images up to 7 MB, and Gemini requests up to 100 MB. Fourteen images of this size fit both,
   * in base64.
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
 * Decoding uses only processor time, so more decoders than processors gain nothing. Each may need `childBytes`. A
 * machine with 512 MB can spare the 70 MB of one idle decoder, but not of two.
 */
export const decodersInProcess = Math.max(
  1,
  Math.min(availableParallelism(), Math.floor(usableMemory() / decodeLimits.childBytes)),
);
/** A child can decode after 0.3 s, and much later on a busy machine. */
export const childStartMs = 15_000;
/** An idle decoder uses about 70 MB, too much for an idle server. */
export const decoderIdleMs = 15_000;
