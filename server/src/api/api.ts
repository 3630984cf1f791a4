import { modes } from '../catalog/models.ts';
import type { ApiCall, ApiRow } from './api-call.ts';
import { batchCalls } from './nouns/batches/batch-calls.ts';
import { clientTokenCall } from './nouns/client-tokens/client-token-calls.ts';
import { createCall } from './nouns/jobs/create-calls.ts';
import { type JobCallDeps, jobCalls } from './nouns/jobs/job-calls.ts';
import { zipCall } from './nouns/jobs/zip-calls.ts';
import { modelsCall } from './nouns/models/model-calls.ts';
import { uploadCalls } from './nouns/uploads/upload-calls.ts';
import { eventsCall } from './nouns/webhooks/event-calls.ts';

export type ApiDeps = JobCallDeps &
  Parameters<typeof modelsCall>[0] &
  Parameters<typeof uploadCalls>[0] &
  Parameters<typeof eventsCall>[0];

/** The whole public API. */
export function apiCalls(deps: ApiDeps): ApiRow[] {
  const job = jobCalls(deps);
  const batch = batchCalls(deps);
  const upload = uploadCalls(deps);
  const rows: [ApiRow['method'], string, ApiRow['access'], ApiCall][] = [
    ...modes.flatMap((mode): typeof rows => [
      ['POST', `/${mode}-generations`, 'its model', createCall(deps, mode)],
      ['POST', `/:model/${mode}-generations`, 'its model', createCall(deps, mode)],
    ]),
    ['POST', '/batches', 'any key', batch.create],
    ['GET', '/batches/:batch_id/results', 'any key', batch.results],
    ['GET', '/batches/:batch_id/images.zip', 'any key', batch.images],
    ['POST', '/uploads', 'any key or token', upload.create],
    ['DELETE', '/uploads/:upload_id', 'any key', upload.remove],
    ['GET', '/jobs/:job_id', 'any key or token', job.get],
    ['GET', '/jobs', 'any key', job.list],
    ['GET', '/jobs/images.zip', 'any key', zipCall(deps)],
    ['POST', '/jobs/:job_id/cancel', 'any key', job.cancel],
    ['DELETE', '/jobs/:job_id/image', 'any key', job.deleteImage],
    ['GET', '/events', 'any key', eventsCall(deps)],
    ['POST', '/client-tokens', 'any key', clientTokenCall(deps)],
    ['GET', '/models', 'any key', modelsCall(deps)],
  ];
  return rows.map(([method, path, access, call]) => ({ method, path, access, call }));
}
