import type { SourceType } from '../marks/origin-mark.ts';

/** What a manifest says of its file. */
export type Claim =
  /** Made by a model, or by a program. */
  | { kind: 'made'; sourceType: SourceType; model: string; atMs: number }
  /** The parent in another format or size. */
  | { kind: 'copy'; atMs: number };

/** What was found in a file; `ours`: valid, and by the certificate that signs here. */
export type SignatureState = 'none' | 'invalid' | 'valid' | 'ours';

/** What the thread is asked, which starts with its settings. */
export type SigningQuestion = SignQuestion | { read: Uint8Array };
export interface SignQuestion {
  /** PNG, JPEG or WebP, without a manifest. */
  sign: Uint8Array;
  claim: Claim;
  /** What it was made of; it becomes an ingredient if its own manifest holds. */
  parent: Uint8Array | null;
}

export type SigningAnswer =
  | { signed: Uint8Array; hasParent: boolean }
  /** A copy whose parent says nothing that holds, so that it says nothing either. */
  | { signed: null }
  | { state: SignatureState };

/** Each `id` is answered once. */
export type SigningOrder = { id: number; question: SigningQuestion };
export type SigningReply = { id: number; answer: SigningAnswer } | { id: number; error: string };
