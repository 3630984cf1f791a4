import type { NewJob } from '../../src/jobs/job-store.ts';

/** What a job needs besides whose it is, its model and its price, for tests to which none of it matters. */
export const plainJob = {
  mode: 'text',
  prompt: 'a fox',
  metadata: null,
  deadlineAt: null,
  output: null,
  mask: null,
  origin: null,
  resolution: '1K',
  requestedRatio: '1:1',
  aspectRatio: '1:1',
  callbackUrl: null,
  modelVersion: null,
  parameters: {},
  inputs: [],
} satisfies Partial<NewJob>;
