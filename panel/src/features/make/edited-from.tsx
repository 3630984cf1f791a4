import { CloseButton } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { paths } from '../../paths.ts';
import { Image } from '../../ui/image.tsx';
import { Link } from '../../ui/link.tsx';
import { useResult } from '../inputs/input-images.tsx';
import classes from './edited-from.module.css';

export function EditedFrom(props: { jobId: string | null; onForget: () => void }) {
  const { jobId, onForget } = props;
  return jobId === null ? null : <Source jobId={jobId} onForget={onForget} />;
}

function Source({ jobId, onForget }: { jobId: string; onForget: () => void }) {
  const accountId = useAccountId();
  const job = useResult(jobId);
  return (
    <p className={classes.from}>
      {job?.result && <Image facts={job.result} alt="" sizes="28px" ratio={1} style={{ width: 28 }} />}
      <span className="ellipsis grow">
        Edited from <Link href={paths.job(accountId, jobId)}>{job?.prompt || 'a job'}</Link>
      </span>
      <CloseButton size="sm" aria-label="Start over" title="Start over" onClick={onForget} />
    </p>
  );
}
