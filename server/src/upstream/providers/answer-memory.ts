import { AsyncLocalStorage } from 'node:async_hooks';

/** @param answerBytes the size of the answer that contains the image; 0 if unknown */
export type HoldMemory = (answerBytes: number) => Promise<void>;

/** Reserves memory before a large answer is read, so that a job holds none while the upstream is drawing. */
export const answerMemory = new AsyncLocalStorage<HoldMemory>();

/** The size below which an answer contains no image. */
export const smallAnswerBytes = 256 * 1024;
