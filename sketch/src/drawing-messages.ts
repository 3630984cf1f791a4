import type { Drawing } from './request.ts';

/** Messages to the drawing thread. A drawing has an `id`, is begun once, and can be stopped. */
export type DrawingOrder = { id: number; begin: Drawing } | { id: number; stop: true };

/**
 * The thread's replies, one for each drawing. An error loses its class between threads, so `isUnreadableInput` says
 * what it was.
 */
export type DrawingReply =
  | { id: number; bytes: Uint8Array }
  | { id: number; error: unknown; isUnreadableInput: boolean };
