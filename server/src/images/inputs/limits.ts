import { availableParallelism } from 'node:os';
import { usableMemory } from '../../base/std/memory/usable-memory.ts';

/** The maximum number of inputs of a request. All are fetched in parallel, so that none waits for another. */
export const maxInputs = 14;

export interface FetchLimits {
  /** The time limit for all downloads of a request together, including redirects. */
  totalMs: number;
  /** The time limit from the DNS lookup to the headers of one response. Each redirect is another response. */
  answerMs: number;
  /** The longest time without a byte while a body arrives. */
  silenceMs: number;
  /** The maximum size of all inputs of a request together. A repeated input counts each time. */
  totalBytes: number;
  redirects: number;
  headerBytes: number;
}

export const fetchLimits: FetchLimits = {
  // A client that creates a job waits for the downloads, and many give up after 30 s.
  totalMs: 20_000,
  answerMs: 5_000,
  silenceMs: 5_000,
  totalBytes: 41_943_040,
  // Enough for http → https → www → CDN. Longer chains are loops or abuse.
  redirects: 3,
  headerBytes: 16_384,
};

/** Enough for sixteen requests with the most inputs. Each download takes a socket, a file and up to 256 KB. */
export const downloadsInProcess = 16 * maxInputs;
/** A quarter of the slots, so that one customer's slow servers do not block other customers. */
export const downloadsPerOwner = downloadsInProcess / 4;

/** Enough for four requests of the largest size. Ordinary requests are far smaller. */
export const bytesPerOwner = 4 * fetchLimits.totalBytes;
export const bytesInProcess = 16 * fetchLimits.totalBytes;

export interface DecodeLimits {
  /** Enough for photographs from phones (48 to 50 megapixels), which take 200 MB of memory when decoded. */
  pixels: number;
  /** The time limit after a running child gets the image. 50 megapixels need 1 s on a slow, busy core. */
  imageMs: number;
  /** The longest side of a cleaned input. Google's models scale larger images to this side anyway. */
  longSide: number;
  /** The limit of a cleaned input. In base64, one fits Vertex's 7 MB, and fourteen fit Gemini's 100 MB per request. */
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
 * machine with 512 MB can spare 70 MB for one idle decoder, but not for two.
 */
export const decodersInProcess = Math.max(
  1,
  Math.min(availableParallelism(), Math.floor(usableMemory() / decodeLimits.childBytes)),
);
/** The time limit for a child to start, which takes 0.3 s, but far longer on a busy machine. */
export const childStartMs = 15_000;
/** How long an idle decoder is kept. It uses about 70 MB, too much for an idle server. */
export const decoderIdleMs = 15_000;
