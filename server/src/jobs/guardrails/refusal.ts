import type { Stage } from './guardrail-settings.ts';

export interface Refusal extends RefusedBy {
  accountId: string;
  keyId: string;
  model: string;
  stage: Stage;
  requestId: string | null;
  /** Null if a prompt was refused before it became a job. */
  jobId: string | null;
  prompt: string;
}

export interface RefusedBy {
  by: 'words' | 'service';
  /** The service's reason, or a word of the operator's list. */
  reason: string | null;
}
