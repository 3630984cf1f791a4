import { AsyncLocalStorage } from 'node:async_hooks';

/** Waits until there is memory for an answer of this many bytes; 0 if the size is unknown. */
type HoldMemory = (bytes: number) => Promise<void>;

/**
 * Reserves memory before a large answer is read, so that a job holds none while the upstream draws. An attempt sets
 * this for its call, without the adapters' help.
 */
export const answerMemory = new AsyncLocalStorage<HoldMemory>();

/** The limit below which an answer contains no image. */
export const smallAnswerBytes = 256 * 1024;
