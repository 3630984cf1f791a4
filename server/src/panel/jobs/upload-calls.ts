import { panelPayer } from '../../accounts/panel-key.ts';
import { presentUpload } from '../../api/nouns/uploads/upload-calls.ts';
import { clientGone } from '../../http/client-gone.ts';
import { useSentFile } from '../../http/sent-file.ts';
import { takeUpload } from '../../uploads/take-upload.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { assertAccountEnabled } from './create-panel-job.ts';

/** Images that a person has on a device, for the playground. */
export function uploadCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/accounts/:account_id/uploads', {
      takesFile: true,
      async handle({ params: { account_id: accountId }, reply }) {
        await assertAccountEnabled(deps, accountId);
        const upload = await useSentFile(reply.request, ({ source, bytes, pointer }) =>
          takeUpload(deps.uploads, {
            ...panelPayer(accountId),
            source,
            bytes,
            pointer,
            signal: clientGone(reply),
          }),
        );
        return presentUpload(upload);
      },
    }),
  ];
}
