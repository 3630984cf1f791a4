import type { Job } from '@darkroom/server/panel-contract';
import { ActionIcon, Modal } from '@mantine/core';
import { IconStar, IconStarFilled, IconX } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useMark } from '../../api/marks.ts';
import { read } from '../../api/queries.ts';
import { usePageKeys } from '../../ui/page-keys.ts';
import { isRejected, ratingOf, verdictOf } from '../choose/verdicts.ts';
import { fitted, type View } from '../gallery/zoom.ts';
import { Zoomable } from '../gallery/zoomable.tsx';
import { shape } from '../jobs/job-words.ts';
import classes from './survey.module.css';

/** Images side by side that zoom and move together, to find the best one. Keys act on the marked image. */
export function Survey(props: {
  jobIds: readonly string[];
  /** True while a dialog covers the images. */
  covered: boolean;
  onChange: (jobIds: string[]) => void;
  onOpen: (jobId: string) => void;
  onClose: () => void;
}) {
  const { jobIds, covered, onClose } = props;
  const jobs = useJobs(jobIds);
  const [view, setView] = useState<View>(fitted);
  const [marked, setMarked] = useState(0);
  const mark = useMark();
  const at = Math.min(marked, jobs.length - 1);
  const judge = (key: string, job: Job) => {
    const verdict = verdictOf(key, [job]);
    if (verdict) mark.mutate({ jobIds: [job.job_id], ...verdict });
  };
  const takeOut = ({ job_id }: Job) => {
    const left = jobIds.filter((id) => id !== job_id);
    if (left.length > 0) props.onChange(left);
    else onClose();
  };
  usePageKeys((key) => {
    const job = jobs[at];
    if (covered || !job) return;
    if (key === 'ArrowRight' || key === 'ArrowDown') setMarked((at + 1) % jobs.length);
    else if (key === 'ArrowLeft' || key === 'ArrowUp') setMarked((at - 1 + jobs.length) % jobs.length);
    else if (key === 'Delete' || key === 'Backspace') takeOut(job);
    else if (key === 'Enter' && !(document.activeElement instanceof HTMLButtonElement))
      props.onOpen(job.job_id);
    else judge(key, job);
  });
  return (
    <Modal.Root
      opened
      onClose={onClose}
      closeOnEscape={!covered}
      fullScreen
      padding={0}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={1} color="#0e0c0b" />
      <Modal.Content aria-label="Side by side" radius={0} className={classes.content}>
        <ul
          className={classes.grid}
          data-count={jobs.length}
          aria-label="Images side by side"
          tabIndex={-1}
          data-autofocus
        >
          {jobs.map((job, index) => (
            <li
              key={job.job_id}
              className={classes.cell}
              data-marked={index === at || undefined}
              data-rejected={isRejected(job) || undefined}
              aria-current={index === at || undefined}
            >
              <div className={classes.stage} onPointerDown={() => setMarked(index)}>
                {job.result?.image_url && (
                  <Zoomable
                    facts={job.result}
                    alt={job.prompt}
                    onTurn={() => {}}
                    together={{ view, onView: setView, hearsKeys: index === 0 && !covered }}
                  />
                )}
              </div>
              <Caption job={job} onStar={() => judge('s', job)} onTakeOut={() => takeOut(job)} />
            </li>
          ))}
        </ul>
        <ActionIcon className={classes.close} size={40} aria-label="Close" onClick={onClose}>
          <IconX size={20} />
        </ActionIcon>
      </Modal.Content>
    </Modal.Root>
  );
}

function Caption({ job, onStar, onTakeOut }: { job: Job; onStar: () => void; onTakeOut: () => void }) {
  return (
    <div className={classes.caption}>
      <span className="ellipsis grow">
        {shape(job)}
        {isRejected(job) ? ' · Rejected' : ratingOf(job) && ` · ${ratingOf(job)}`}
      </span>
      <ActionIcon
        className={classes.tool}
        size={28}
        aria-label={`Star ${job.prompt}`}
        aria-pressed={job.starred}
        onClick={onStar}
      >
        {job.starred ? <IconStarFilled size={16} /> : <IconStar size={16} />}
      </ActionIcon>
      <ActionIcon
        className={classes.tool}
        size={28}
        aria-label={`Take ${job.prompt} out of the comparison`}
        title="Take out (Del)"
        onClick={onTakeOut}
      >
        <IconX size={16} />
      </ActionIcon>
    </div>
  );
}

function useJobs(jobIds: readonly string[]): Job[] {
  const account_id = useAccountId();
  return useQueries({
    queries: jobIds.map((job_id) =>
      read('GET /panel/accounts/:account_id/jobs/:job_id', { params: { account_id, job_id } }),
    ),
  }).flatMap(({ data }) => data?.job ?? []);
}
