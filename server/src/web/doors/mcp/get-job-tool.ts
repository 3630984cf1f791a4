import Type, { type Static } from 'typebox';
import { closed } from '../../../base/http/schemas.ts';
import type { DoorDeps } from '../door-deps.ts';
import { imageSchema, presentImage } from './present-image.ts';
import type { Tool } from './tool.ts';
import { waitAndReport, waitSeconds } from './wait-and-report.ts';

const argumentsSchema = closed({
  job_id: Type.String({ minLength: 1, maxLength: 100, description: 'The id from generate_image.' }),
  wait_seconds: waitSeconds('How long to wait for the end of a job that is not finished; 0 when left out.'),
});

export function getJobTool(deps: DoorDeps): Tool {
  return {
    name: 'get_job',
    define: () => ({
      title: 'Get an image',
      description:
        'The state of an image that generate_image started; when it is done, the same preview and link. Costs nothing. To wait for it, set wait_seconds instead of calling this repeatedly. Also returns a fresh link to an older image.',
      inputSchema: argumentsSchema as { type: 'object' },
      outputSchema: imageSchema as { type: 'object' },
      annotations: { readOnlyHint: true, openWorldHint: false },
    }),
    async run(call) {
      call.check(argumentsSchema, call.arguments);
      const { job_id: jobId, wait_seconds: wait = 0 } = call.arguments as Static<typeof argumentsSchema>; // checked
      return presentImage(deps, await waitAndReport(deps, call, { jobId, waitMs: wait * 1000 }));
    },
  };
}
