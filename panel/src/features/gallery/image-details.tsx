import type { JobDetail } from '@darkroom/server/panel-contract';
import { useAccountId } from '../../api/account.ts';
import { paths, withQuery } from '../../paths.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { JobActions } from '../jobs/job-actions.tsx';
import { JobFacts } from '../jobs/job-facts.tsx';
import { isDeleted, promptOf } from '../jobs/job-words.ts';
import { KeptUntil } from '../retention/kept-until.tsx';

export function ImageDetails({ detail }: { detail: JobDetail }) {
  const { job } = detail;
  const accountId = useAccountId();
  return (
    <div className="stack">
      <div className="row between">
        <StatusBadge status={job.status} />
        {job.prompt && <CopyButton text={job.prompt} what="prompt" />}
      </div>
      <p style={{ whiteSpace: 'pre-wrap' }} dir="auto">
        {promptOf(job)}
      </p>
      <KeptUntil job={job} />
      <div className="row" style={{ gap: 8 }}>
        <JobActions key={job.job_id} job={job} compact />
      </div>
      <JobFacts detail={detail} />
      {job.result && !isDeleted(job) && (
        <p className="small">
          <Link href={withQuery(paths.jobs(accountId), { similar: job.job_id })}>Similar images</Link>
        </p>
      )}
      <p className="small">
        <Link href={paths.job(accountId, job.job_id)}>Timeline, request and charges</Link>
      </p>
    </div>
  );
}
