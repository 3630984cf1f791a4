import type { Job, JobDetail } from '@darkroom/server/panel-contract';
import { ActionIcon, Modal } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconLayoutSidebarRight as IconSidebar,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { atWidth, largestWidth, steadyLink } from '../../ui/image-links.ts';
import { usePageTitle } from '../../ui/page.tsx';
import { usePageKeys } from '../../ui/page-keys.ts';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { JobImage } from '../jobs/job-progress.tsx';
import { shortPrompt } from '../jobs/job-words.ts';
import { MarkButtons } from '../jobs/mark-buttons.tsx';
import { ImageDetails } from './image-details.tsx';
import classes from './lightbox.module.css';
import { type Asked, LightboxTools } from './lightbox-tools.tsx';
import { Zoomable } from './zoomable.tsx';

const pollMs = 3_000;
const look = { className: classes.control ?? '', size: 40 };

export function Lightbox(props: {
  jobId: string;
  /** The job as the list has it, which can be shown before the details are read. */
  row: Job | undefined;
  previous: Job | undefined;
  next: Job | undefined;
  /** True while a dialog covers the lightbox. */
  covered: boolean;
  onTurn: (jobId: string) => void;
  onCompare: (jobIds: string[]) => void;
  onClose: () => void;
}) {
  const { jobId, row, previous, next } = props;
  const [details, setDetails] = useState(true);
  const [deleting, setDeleting] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const covered = props.covered || deleting || asked !== undefined;
  const input = { params: { account_id: useAccountId(), job_id: jobId } };
  const first = useRead('GET /panel/accounts/:account_id/jobs/:job_id', input);
  const open = first.data?.job.finished_at === null;
  const job = useRead('GET /panel/accounts/:account_id/jobs/:job_id', input, open ? { everyMs: pollMs } : {});
  const shown = job.data?.job ?? row;
  const isUnknown = !shown && job.error !== null;
  usePageTitle(shown ? t('{prompt} · Pictures', { prompt: shortPrompt(shown.prompt) }) : t('Image'));

  const turn = (step: 1 | -1) => {
    const to = step === 1 ? next : previous;
    if (to) props.onTurn(to.job_id);
  };
  usePageKeys((key) => {
    if (covered) return;
    if (key === 'ArrowRight') turn(1);
    if (key === 'ArrowLeft') turn(-1);
    if (key === 'i') setDetails(!details);
  });
  usePreload(next);
  const beside = [next, previous].find((one) => one?.result?.image_url);
  const goOn = () => {
    const to = next ?? previous;
    if (to) props.onTurn(to.job_id);
    else props.onClose();
  };
  return (
    <Modal.Root
      opened
      onClose={props.onClose}
      closeOnEscape={!covered}
      fullScreen
      padding={0}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--paper)" />
      <Modal.Content aria-label={shown?.prompt || 'Image'} radius={0} className={classes.content}>
        <div className={classes.lightbox} data-details={(details && !isUnknown) || undefined}>
          <div className={classes.stage}>
            {shown && <Stage job={shown} detail={job.data} onTurn={turn} />}
            {isUnknown && (
              <div className={classes.none}>
                <ProblemAlert error={job.error} />
              </div>
            )}
            <Controls {...props} turn={turn} details={details} onDetails={setDetails}>
              {shown && (
                <>
                  <LightboxTools
                    job={shown}
                    look={look}
                    covered={covered}
                    asked={asked}
                    onAsk={setAsked}
                    onCompare={beside && (() => props.onCompare([shown.job_id, beside.job_id]))}
                    onNext={() => turn(1)}
                  />
                  <MarkButtons
                    key={shown.job_id}
                    job={shown}
                    look={look}
                    covered={covered}
                    deleting={deleting}
                    onDeleting={setDeleting}
                    onDeleted={goOn}
                  />
                </>
              )}
            </Controls>
          </div>
          {details && !isUnknown && (
            <aside className={classes.details} aria-label="Details">
              <Await query={job}>{(data) => <ImageDetails detail={data} />}</Await>
            </aside>
          )}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

function Controls(props: {
  previous: Job | undefined;
  next: Job | undefined;
  turn: (step: 1 | -1) => void;
  details: boolean;
  onDetails: (shown: boolean) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { turn, details } = props;
  return (
    <>
      <ActionIcon
        className={`${classes.control} ${classes.close}`}
        size={40}
        aria-label="Close"
        onClick={props.onClose}
        data-autofocus
      >
        <IconX size={20} />
      </ActionIcon>
      <div className={classes.corner}>
        {props.children}
        <ActionIcon
          className={classes.control}
          size={40}
          aria-label={details ? 'Hide details' : 'Show details'}
          aria-expanded={details}
          aria-keyshortcuts="i"
          title={`${details ? t('Hide details') : t('Show details')} (I)`}
          onClick={() => props.onDetails(!details)}
        >
          <IconSidebar size={20} />
        </ActionIcon>
      </div>
      {props.previous && (
        <ActionIcon
          className={`${classes.control} ${classes.previous}`}
          size={44}
          aria-label="Previous"
          onClick={() => turn(-1)}
        >
          <IconChevronLeft size={24} />
        </ActionIcon>
      )}
      {props.next && (
        <ActionIcon
          className={`${classes.control} ${classes.next}`}
          size={44}
          aria-label="Next"
          onClick={() => turn(1)}
        >
          <IconChevronRight size={24} />
        </ActionIcon>
      )}
    </>
  );
}

function Stage(props: { job: Job; detail: JobDetail | undefined; onTurn: (step: 1 | -1) => void }) {
  const { job, detail } = props;
  if (job.result?.image_url) {
    return <Zoomable key={job.job_id} facts={job.result} alt={job.prompt} onTurn={props.onTurn} />;
  }
  return <div className={classes.none}>{detail && <JobImage detail={detail} />}</div>;
}

function usePreload(job: Job | undefined): void {
  const link = job?.result?.image_url;
  useEffect(() => {
    if (link) new Image().src = atWidth(steadyLink(link), largestWidth);
  }, [link]);
}
