/** What is kept for a time. The ledger is kept for good. */
export const parts = ['jobs', 'pictures', 'prompts', 'inputs', 'deliveries', 'idempotency', 'audit'] as const;
export type Part = (typeof parts)[number];

/** In days; what is not set follows from the others. */
export type RetentionDays = { readonly [part in Part]?: number };

/** What the installation sets: days, and of how many images that have a star or are in an album an account keeps each beyond them. */
export type RetentionSettings = RetentionDays & { readonly stars?: number };

/** In days; null: for good. `stars` is a number of images. */
export type Retention = Record<Exclude<Part, 'audit'>, number> & { audit: number | null; stars: number };

export const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;
/** Repeats of a request come within minutes; those of a backup that is played back, within days. */
const leastKeyDays = 30;
/** Kept in any case, by a trigger: who looks for what happened needs some weeks to begin. */
const leastAuditDays = 30;
export const longestDays = 36_500;
/** Every look for what is past its days reads those that stay first. */
export const mostStars = 10_000;

export function leastDays(part: Part): number {
  return part === 'audit' ? leastAuditDays : 1;
}

/**
 * What holds for an account: what is set for it wins over the installation's, be it shorter or longer. No part of a job is
 * kept for longer than the job, and what was asked for never longer than the image that was made of it.
 */
export function retentionOf(installation: RetentionSettings, own: RetentionDays = {}): Retention {
  const set = { ...installation, ...own };
  const jobs = set.jobs ?? defaultDays;
  const pictures = Math.min(set.pictures ?? jobs, jobs);
  return {
    jobs,
    pictures,
    prompts: Math.min(set.prompts ?? pictures, pictures),
    inputs: Math.min(set.inputs ?? pictures, pictures),
    deliveries: Math.min(set.deliveries ?? jobs, jobs),
    idempotency: set.idempotency ?? Math.max(jobs, leastKeyDays),
    audit: set.audit ?? null,
    stars: set.stars ?? 0,
  };
}

/** As in JSON: `{jobs_days: 30, …}`. */
export function presentRetention(retention: Retention) {
  const { jobs, pictures, prompts, inputs, deliveries, idempotency, stars } = retention;
  return {
    jobs_days: jobs,
    pictures_days: pictures,
    prompts_days: prompts,
    inputs_days: inputs,
    deliveries_days: deliveries,
    idempotency_days: idempotency,
    starred: stars,
  };
}
