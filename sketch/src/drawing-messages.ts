import type { Drawing } from './request.ts';

/** Messages to the drawing thread. Each `id` is begun once and can be stopped. */
export type DrawingOrder = { id: number; begin: Drawing } | { id: number; stop: true };

/** The thread's replies, one per drawing. An error loses its class between threads. */
export type DrawingReply =
  | { id: number; bytes: Uint8Array }
  | { id: number; error: unknown; isUnreadableInput: boolean };
