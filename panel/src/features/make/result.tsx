import type { Job } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { DownloadButton, Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { duration, RelativeTime, useIsPast } from '../../ui/time.tsx';
import { useResult } from '../inputs/input-images.tsx';
import { JobImage } from '../jobs/job-progress.tsx';
import { shape, tookMs } from '../jobs/job-words.ts';
import { imageFileOf } from '../presets/image-file.ts';

/** The polling interval while live updates are interrupted. */
const pollMs = 2_000;

export function Result({ jobId, onInput }: { jobId: string; onInput: (jobId: string) => void }) {
  const accountId = useAccountId();
  const params = { account_id: accountId, job_id: jobId };
  const open = useResult(jobId)?.finished_at === null;
  const job = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    { params },
    open ? { everyMs: pollMs } : {},
  );
  return (
    <Await query={job} wait={<Skeleton height={360} />}>
      {(data) => (
        <section className="stack" aria-label="Result">
          <JobImage detail={data} />
          <ResultWords job={data.job} expiresAt={data.image_expires_at} />
          <div className="row">
            {data.job.result?.image_url && (
              <>
                <DownloadButton href={imageFileOf(accountId, jobId)}>Download</DownloadButton>
                <Button variant="default" onClick={() => onInput(jobId)}>
                  Use as input
                </Button>
              </>
            )}
            <Link href={paths.job(accountId, jobId)}>Open the job</Link>
          </div>
        </section>
      )}
    </Await>
  );
}

function ResultWords({ job, expiresAt }: { job: Job; expiresAt: string | null }) {
  const { result } = job;
  const took = tookMs(job);
  return (
    <p className="row small soft" style={{ gap: '4px 8px' }}>
      <span>{shape(job)}</span>
      {result && (
        <span className="number">
          {result.width} × {result.height}
        </span>
      )}
      {took !== null && <span>in {duration(took)}</span>}
      {job.status === 'done' && <Money amount={job.price} />}
      {result?.image_url && expiresAt && (
        <span className="row" style={{ gap: 2 }}>
          <span>
            <LinkExpiry at={expiresAt} />
          </span>
          <CopyButton text={new URL(result.image_url, location.origin).href} what="image link" />
        </span>
      )}
    </p>
  );
}

function LinkExpiry({ at }: { at: string }) {
  const time = <RelativeTime at={at} />;
  return useIsPast(at) ? <>Link expired {time}</> : <>Link expires {time}</>;
}
