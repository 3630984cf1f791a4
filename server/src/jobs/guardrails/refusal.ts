import type { Stage } from './guardrail-settings.ts';

/** What the policy refused: a request, or the image of a job. */
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
  /** As the service names it, or the word of the operator's list. */
  reason: string | null;
}
