import type { Stage } from './guardrail-settings.ts';

/** A refusal by the policy: of a request, or of the image of a job. */
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
