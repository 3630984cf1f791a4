import type { JobDetail } from '@darkroom/server/panel-contract';
import { told } from '../../languages/words.ts';
import { Image } from '../../ui/image.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { useHeldDeletion } from '../deletion/held-deletion.ts';
import classes from './job-progress.module.css';
import { advice, ratioOf, waitWords } from './job-words.ts';

export function JobImage({ detail: { job, attempts } }: { detail: Pick<JobDetail, 'job' | 'attempts'> }) {
  const isHeld = useHeldDeletion()?.jobIds.includes(job.job_id);
  if (isHeld || (job.status === 'done' && !job.result?.image_url)) {
    return (
      <Notice tone="calm" title="The image is deleted">
        <p>Its prompt and its inputs are gone with it. The job and its charge stay.</p>
      </Notice>
    );
  }
  if (job.result?.image_url) {
    const { width, height } = job.result;
    return (
      <a
        href={job.result.image_url}
        target="_blank"
        rel="noreferrer"
        className={classes.link}
        style={{
          width: `min(100%, ${width}px, calc(min(var(--tallest, 72vh), ${tallest}px) * ${width / height}))`,
        }}
      >
        <Image
          facts={job.result}
          alt={job.prompt}
          sizes={`(max-width: 1000px) 100vw, ${Math.min(width, Math.round((tallest * width) / height))}px`}
          eager
          className={classes.image}
        />
      </a>
    );
  }
  if (job.status === 'failed') {
    return (
      <Notice tone="bad" title={job.error === null ? 'The job failed' : told(job.error)}>
        {job.error_code && (
          <p>
            {advice[job.error_code]} <code className="tiny">{job.error_code}</code>
          </p>
        )}
        <p>Nothing was charged; the reserved {job.price} was released.</p>
      </Notice>
    );
  }
  return (
    <div
      className={classes.stage}
      style={{ aspectRatio: Math.min(longest, Math.max(1 / 1.4, ratioOf(job))) }}
    >
      <StatusBadge status={job.status} />
      <p className="soft small">
        <Elapsed since={job.started_at ?? job.created_at} />
        {job.queue && ` · ${job.queue.ahead} ahead`}
        {attempts > 1 && ` · attempt ${attempts}`}
      </p>
      {job.queue && <p className="soft small">{waitWords(job.queue)}</p>}
    </div>
  );
}

/** The largest height of an image, in pixels. */
const tallest = 760;
/** The widest aspect ratio of a placeholder. */
const longest = 2.4;
