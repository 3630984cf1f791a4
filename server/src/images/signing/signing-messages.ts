import type { SourceType } from '../marks/origin-mark.ts';

export type Claim =
  | { kind: 'made'; sourceType: SourceType; model: string; atMs: number }
  | { kind: 'copy'; atMs: number };

/** The state of a signature. `ours` is valid and made with this installation's certificate. */
export type SignatureState = 'none' | 'invalid' | 'valid' | 'ours';

export type SigningQuestion = SignQuestion | { read: Uint8Array };
export interface SignQuestion {
  /** The file to sign: PNG, JPEG or WebP, without a manifest. */
  sign: Uint8Array;
  claim: Claim;
  /** Becomes an ingredient if its own manifest is valid. */
  parent: Uint8Array | null;
}

export type SigningAnswer =
  | { signed: Uint8Array; hasParent: boolean }
  /** The parent has no valid manifest, so the copy is unsigned. */
  | { signed: null }
  | { state: SignatureState };

export type SigningOrder = { id: number; question: SigningQuestion };
export type SigningReply = { id: number; answer: SigningAnswer } | { id: number; error: string };
