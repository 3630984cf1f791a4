import type { Static } from 'typebox';
import type { jobSchema } from '../../api/nouns/jobs/job-schemas.ts';
import type { presentQueue } from '../../api/screens/present-queue.ts';
import type { ScreenContract } from '../../api/screens/screens.ts';
import type { AccountContract } from '../../api/table.ts';

export type Job = Static<typeof jobSchema>;
export type JobQuery = NonNullable<AccountContract['GET /api/v1/jobs']['query']>;
export type JobChanges = ScreenContract['GET /panel/accounts/:account_id/jobs/changes']['answer'];
export type JobDetail = ScreenContract['GET /panel/accounts/:account_id/jobs/:job_id']['answer'];
export type { CreateBody } from '../../api/nouns/jobs/job-schemas.ts';
export type QueueCounts = ReturnType<typeof presentQueue>;
