import { Button, Skeleton } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Link, useGo } from '../../ui/link.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DownloadMenu } from '../jobs/download-menu.tsx';
import { JobImage } from '../jobs/job-progress.tsx';
import { BeforeAfter } from './before-after.tsx';

/** The polling interval while live updates are interrupted. */
const pollMs = 2_000;

export function EditedImage({ jobId, onBack }: { jobId: string; onBack: () => void }) {
  const account_id = useAccountId();
  const go = useGo();
  const input = { params: { account_id, job_id: jobId } };
  const call = 'GET /panel/accounts/:account_id/jobs/:job_id';
  const open = useRead(call, input).data?.job.finished_at === null;
  const job = useRead(call, input, open ? { everyMs: pollMs } : {});
  return (
    <Await query={job} wait={<Skeleton height={360} />}>
      {(detail) => (
        <section className="stack" aria-label="Result">
          {detail.job.result?.image_url ? <BeforeAfter job={detail.job} /> : <JobImage detail={detail} />}
          <div className="row">
            <Button variant="default" onClick={onBack}>
              Back to the brush
            </Button>
            {detail.job.result?.image_url && (
              <>
                <Button variant="default" onClick={() => go(paths.edit(account_id, jobId))}>
                  Edit this one
                </Button>
                <DownloadMenu job={detail.job} size="sm" />
              </>
            )}
            <Link href={paths.job(account_id, jobId)}>Open the job</Link>
          </div>
        </section>
      )}
    </Await>
  );
}
