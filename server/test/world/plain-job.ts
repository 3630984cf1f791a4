import type { NewJob } from '../../src/jobs/job-store.ts';

/** The fields of a job without its account, model and price, for tests to which none of them matters. */
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
