import type { Job } from '@darkroom/server/panel-contract';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { Elapsed } from '../../ui/time.tsx';
import { waitWords } from '../jobs/job-words.ts';
import { Thumb } from '../jobs/thumb.tsx';
import classes from './filmstrip.module.css';

/** Running jobs, each with its expected end, and the newest images. The height is fixed from the first image on. */
export function Filmstrip(props: {
  jobs: readonly Job[];
  current: readonly string[];
  onPick: (jobId: string) => void;
}) {
  const open = props.jobs.filter((job) => job.finished_at === null);
  const made = props.jobs.filter((job) => job.finished_at !== null);
  if (props.jobs.length === 0) return null;
  return (
    <ul className={classes.strip} aria-label="Recent">
      {[...open, ...made].map((job) => (
        <li key={job.job_id}>
          <button
            type="button"
            className={classes.frame}
            title={job.prompt}
            aria-pressed={props.current.includes(job.job_id)}
            onClick={() => props.onPick(job.job_id)}
          >
            <Thumb job={{ ...job, prompt: '' }} size={56} />
            <span className="sr-only">Show: {job.prompt}</span>
            {job.finished_at === null && <Waiting job={job} />}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The polling interval. It is short, because the queue's length changes even when the job does not. */
const pollMs = 3_000;

function Waiting({ job: { job_id, created_at, started_at } }: { job: Job }) {
  const params = { account_id: useAccountId(), job_id };
  const queue = useRead('GET /panel/accounts/:account_id/jobs/:job_id', { params }, { everyMs: pollMs }).data
    ?.job.queue;
  return (
    <span className={classes.waiting}>
      <span>
        {queue ? (queue.ahead === 0 ? 'Next' : `${queue.ahead} ahead`) : started_at ? 'Processing' : 'Queued'}{' '}
        · <Elapsed since={started_at ?? created_at} />
      </span>
      {queue && <span className="soft">{waitWords(queue)}</span>}
    </span>
  );
}
