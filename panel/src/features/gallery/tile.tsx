import type { Job } from '@darkroom/server/panel-contract';
import { IconCheck, IconPhotoX, IconStarFilled, IconTrash } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import { t, told } from '../../languages/words.ts';
import { Image } from '../../ui/image.tsx';
import { Link } from '../../ui/link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Elapsed } from '../../ui/time.tsx';
import { isRejected, ratingOf } from '../choose/verdicts.ts';
import { isDeleted, promptOf, shape } from '../jobs/job-words.ts';
import classes from './tile.module.css';

export const Tile = memo(function Tile(props: {
  job: Job;
  href: string;
  top: number;
  left: number;
  width: number;
  height: number;
  index: number;
  /** Tab reaches only one tile, the one for which this is true. */
  focusable: boolean;
  selected: boolean;
  /** True to show the smallest rendition at any size. */
  coarse: boolean;
  onOpen: (event: MouseEvent, index: number) => void;
  onSelect: (event: MouseEvent, index: number) => void;
}) {
  const { job, index, selected } = props;
  const rating = ratingOf(job);
  return (
    <li
      className={classes.tile}
      style={{ top: props.top, left: props.left, width: props.width, height: props.height }}
      data-selected={selected || undefined}
      data-status={job.status}
      data-rejected={isRejected(job) || undefined}
    >
      <Link
        href={props.href}
        className={`bare ${classes.link}`}
        data-index={index}
        tabIndex={props.focusable ? 0 : -1}
        onClick={(event) => props.onOpen(event, index)}
      >
        <Content job={job} sizes={props.coarse ? '1px' : `${Math.ceil(props.width)}px`} />
        <span className={classes.caption}>
          <span className={classes.prompt} dir="auto">
            {promptOf(job)}
          </span>
          <span className={classes.shape} title={shape(job)} aria-hidden>
            {shape(job)}
          </span>
        </span>
      </Link>
      {job.starred && (
        <span className={classes.star}>
          <IconStarFilled size={15} aria-label="Starred" role="img" />
        </span>
      )}
      {(isRejected(job) || rating) && (
        <span className={classes.verdict}>{isRejected(job) ? 'Rejected' : rating}</span>
      )}
      <button
        type="button"
        className={classes.check}
        tabIndex={-1}
        aria-pressed={selected}
        aria-label={job.prompt ? `Select ${job.prompt}` : 'Select this job'}
        onClick={(event) => props.onSelect(event, index)}
      >
        <IconCheck size={14} stroke={3} aria-hidden />
      </button>
    </li>
  );
});

function Content({ job, sizes }: { job: Job; sizes: string }) {
  if (job.result?.image_url) {
    return <Image facts={job.result} alt="" sizes={sizes} className={classes.image} />;
  }
  if (isDeleted(job)) {
    return (
      <span className={classes.state}>
        <IconTrash size={18} stroke={1.5} aria-hidden />
        <span>Deleted</span>
      </span>
    );
  }
  if (job.status === 'failed') {
    const why = job.error === null ? t('Failed') : told(job.error);
    return (
      <span className={classes.state} data-bad>
        <IconPhotoX size={20} stroke={1.5} aria-hidden />
        <span className={classes.reason} title={why}>
          {why}
        </span>
      </span>
    );
  }
  return (
    <span className={classes.state} data-busy>
      <StatusBadge status={job.status} />
      <Elapsed since={job.started_at ?? job.created_at} />
    </span>
  );
}
