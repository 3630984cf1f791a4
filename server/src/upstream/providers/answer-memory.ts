import { AsyncLocalStorage } from 'node:async_hooks';

/** Waits until there is memory for an answer of so many bytes, 0 if that is not known. */
type HoldMemory = (bytes: number) => Promise<void>;

/**
 * Set by an attempt for the time of its call, and asked before a large answer is read: while the upstream draws, nothing is
 * held. Adapters in between need not know.
 */
export const answerMemory = new AsyncLocalStorage<HoldMemory>();

/** Larger ones have a picture in them. */
export const smallAnswerBytes = 256 * 1024;
