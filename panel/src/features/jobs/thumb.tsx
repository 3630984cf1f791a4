import type { Job } from '@darkroom/server/panel-contract';
import { IconPhoto, IconPhotoX } from '@tabler/icons-react';
import { Image } from '../../ui/image.tsx';
import classes from './thumb.module.css';

/** The result of a job in a square of `size` pixels, or as wide as its container. The prompt is its alt text. */
export function Thumb({
  job,
  size,
  sizes,
}: { job: Job } & ({ size: number; sizes?: never } | { size?: never; sizes: string })) {
  const style = { width: size ?? '100%' };
  if (job.result?.image_url) {
    return (
      <Image
        facts={job.result}
        alt={job.prompt}
        sizes={sizes ?? `${size}px`}
        ratio={1}
        className={classes.thumb}
        style={style}
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
