import type { SourceType } from '../marks/origin-mark.ts';

/** The statement of a manifest about its file. */
export type Claim =
  /** Made by a model, or by a program. */
  | { kind: 'made'; sourceType: SourceType; model: string; atMs: number }
  /** The parent in another format or size. */
  | { kind: 'copy'; atMs: number };

/** The state of a signature. `ours`: valid, and made with this installation's certificate. */
export type SignatureState = 'none' | 'invalid' | 'valid' | 'ours';

/** A message to the thread; the first one has its settings. */
export type SigningQuestion = SignQuestion | { read: Uint8Array };
export interface SignQuestion {
  /** PNG, JPEG or WebP, without a manifest. */
  sign: Uint8Array;
  claim: Claim;
  /** The source of the image, which becomes an ingredient if its own manifest is valid. */
  parent: Uint8Array | null;
}

export type SigningAnswer =
  | { signed: Uint8Array; hasParent: boolean }
  /** A copy stays unsigned if its parent has no valid manifest. */
  | { signed: null }
  | { state: SignatureState };

/** Each `id` is answered once. */
export type SigningOrder = { id: number; question: SigningQuestion };
export type SigningReply = { id: number; answer: SigningAnswer } | { id: number; error: string };
