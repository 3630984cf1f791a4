import type { Stage } from './guardrail-settings.ts';

/** The policy's refusal of a request or of a job's image. */
export interface Refusal extends RefusedBy {
  accountId: string;
  keyId: string;
  model: string;
  stage: Stage;
  requestId: string | null;
  /** Null for a request. */
  jobId: string | null;
  prompt: string;
}

export interface RefusedBy {
  by: 'words' | 'service';
  /** The reason that the service gives, or the word of the operator's list. */
  reason: string | null;
}
