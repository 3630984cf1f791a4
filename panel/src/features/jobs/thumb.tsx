import type { JobRow } from '@darkroom/server/panel-contract';
import { IconPhoto, IconPhotoX } from '@tabler/icons-react';
import classes from './thumb.module.css';

/** The result of a job, small and square, or as wide as its container. The prompt is its alt text. */
export function Thumb({ job, size }: { job: JobRow; size?: number }) {
  const style = { width: size ?? '100%' };
  if (job.image_url) {
    return (
      <img
        className={classes.thumb}
        style={style}
        src={job.image_url}
        alt={job.prompt}
        loading="lazy"
        decoding="async"
      />
    );
  }
  const Icon = job.status === 'failed' ? IconPhotoX : IconPhoto;
  return (
    <span
      className={classes.none}
      style={style}
      data-busy={job.finished_at === null || undefined}
      aria-hidden
    >
      <Icon size={Math.min(20, (size ?? 40) / 2)} stroke={1.4} />
    </span>
  );
}
