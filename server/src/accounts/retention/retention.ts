/** The kinds of data that retention can delete. The ledger is never deleted. */
export const parts = ['jobs', 'pictures', 'prompts', 'inputs', 'deliveries', 'idempotency', 'audit'] as const;
export type Part = (typeof parts)[number];

/** Days. A missing part is derived from the others. */
export type RetentionDays = { readonly [part in Part]?: number };

/** `stars` is the number of images with a star, or in an album, that each account keeps for longer. */
export type RetentionSettings = RetentionDays & { readonly stars?: number };

/** Days; null for no end. `stars` is a number of images. */
export type Retention = Record<Exclude<Part, 'audit'>, number> & { audit: number | null; stars: number };

export const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;
/** The least retention of `Idempotency-Key`s: clients repeat requests within minutes, or days after a restore. */
const leastKeyDays = 30;
/** The least retention of the audit log, which a trigger enforces: investigations may start weeks after an incident. */
const leastAuditDays = 30;
export const longestDays = 36_500;
/** The maximum number of starred jobs, because every search for expired data reads all of them first. */
export const mostStars = 10_000;

export function leastDays(part: Part): number {
  return part === 'audit' ? leastAuditDays : 1;
}

/** An account's own days win, even if longer. Nothing outlives its job, and no prompt or input outlives its image. */
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
