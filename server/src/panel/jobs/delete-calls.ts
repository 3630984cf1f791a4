import Type from 'typebox';
import { closed } from '../../http/schemas.ts';
import { deleteImages } from '../../jobs/delete-images.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** As many as a page of the list holds. */
const maxJobs = 100;

/** Deleting the images of jobs. */
export function deleteCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/accounts/:account_id/jobs/delete-images', {
      body: closed({ job_ids: Type.Array(Type.String(), { minItems: 1, maxItems: maxJobs }) }),
      handle: ({ params, body, viewer }) =>
        deleteImages(deps, { accountId: params.account_id, jobIds: body.job_ids, by: viewer }),
    }),
  ];
}
