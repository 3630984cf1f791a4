import type { NewJob } from '../../src/jobs/job-store.ts';

/** The fields of a job without account, model and price, for tests that do not depend on them. */
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
