import type { Job, QueueCounts } from '../jobs/contract.ts';
import type { Balance } from '../money/contract.ts';
import type { AccountRef } from '../people/contract.ts';

/** The start page of an account. */
export interface OverviewCalls {
  'GET /panel/accounts/:account_id/overview': { answer: Overview };
}

export interface Overview {
  account: AccountRef;
  balance: Balance;
  queue: QueueCounts;
  /** Since midnight UTC, by the day of creation. */
  today: {
    jobs: number;
    done: number;
    /** Without those that were cancelled. */
    failed: number;
    /** Share of finished jobs that are done, 0 to 1; null without finished jobs. */
    success_rate: number | null;
    spent: string;
    /** From creation to finish, of jobs that are done. */
    p50_ms: number | null;
    p95_ms: number | null;
  };
  /** The last 24 hours, oldest first, always 24 items. */
  hours: { hour: string; done: number; failed: number; open: number }[];
  /** At most 12. */
  latest_images: Job[];
  problems: AccountProblem[];
  /** Only `sketch` draws, and the viewer may connect a provider. */
  offers_connection: boolean;
  /** The checklist of a new account. */
  steps: { image_made: boolean; key_created: boolean; key_used: boolean; webhook_set: boolean };
}

/** Problems, worst first. `text` is a sentence; `subject` is what it is about (a model id, a job id). */
export interface AccountProblem {
  kind:
    | 'account_disabled'
    | 'project_paused'
    | 'model_paused'
    | 'balance_low'
    | 'webhook_failing'
    | 'webhook_disabled'
    | 'jobs_failing'
    | 'queue_slow'
    /** Shown to operators only. */
    | 'sign_ins_failing';
  severity: 'error' | 'warning';
  text: string;
  subject: string | null;
  since: string | null;
}
