import type { Drawing } from './request.ts';

/** To the thread that draws. Each `id` begins once, and may be stopped. */
export type DrawingOrder = { id: number; begin: Drawing } | { id: number; stop: true };

/** The thread's replies, one for each drawing that began. An error loses its class on the way. */
export type DrawingReply =
  | { id: number; bytes: Uint8Array }
  | { id: number; error: unknown; isUnreadableInput: boolean };
