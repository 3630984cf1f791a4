import type { BodyOf, Job } from '@darkroom/server/panel-contract';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconX } from '@tabler/icons-react';
import { type DragEvent, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { Thumb } from '../jobs/thumb.tsx';
import classes from './ordered-images.module.css';

/** Names only the image that is changed, so that images which other people add or remove meanwhile stay as they are. */
type OrderChange = Pick<BodyOf<'PATCH /api/v1/albums/:album_id'>, 'move' | 'remove'>;

export function OrderedImages(props: {
  jobs: readonly Job[];
  fixed: boolean;
  /** Called with the change and the resulting order of these images. */
  onOrder: (change: OrderChange, jobIds: string[]) => void;
}) {
  const { jobs, fixed, onOrder } = props;
  const accountId = useAccountId();
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const ids = jobs.map(({ job_id }) => job_id);
  const move = (from: number, to: number) => {
    const job_id = ids[from];
    if (from === to || job_id === undefined) return;
    const rest = ids.toSpliced(from, 1);
    onOrder({ move: { job_id, after: rest[to - 1] ?? null } }, rest.toSpliced(to, 0, job_id));
  };
  const drop = (event: DragEvent, at: number) => {
    event.preventDefault();
    if (dragged !== undefined) move(dragged, at);
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <ol className={classes.images} aria-label="Images of the album">
      {jobs.map((job, index) => (
        <li
          key={job.job_id}
          draggable={!fixed}
          data-dragged={index === dragged || undefined}
          data-over={(index === over && index !== dragged) || undefined}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            setDragged(index);
          }}
          onDragOver={(event) => {
            if (dragged === undefined) return;
            event.preventDefault();
            setOver(index);
          }}
          onDragEnd={() => {
            setDragged(undefined);
            setOver(undefined);
          }}
          onDrop={(event) => drop(event, index)}
        >
          <Link href={paths.image(accountId, job.job_id)} title={job.prompt}>
            <Thumb job={job} sizes="(max-width: 600px) 45vw, 200px" />
          </Link>
          {!fixed && (
            <div className={classes.tools}>
              <Tool
                name={`Move ${nameOf(job)} back`}
                off={index === 0}
                onClick={() => move(index, index - 1)}
              >
                <IconChevronLeft size={16} />
              </Tool>
              <Tool
                name={`Move ${nameOf(job)} forward`}
                off={index === jobs.length - 1}
                onClick={() => move(index, index + 1)}
              >
                <IconChevronRight size={16} />
              </Tool>
              <Tool
                name={`Take ${nameOf(job)} out`}
                onClick={() => onOrder({ remove: [job.job_id] }, ids.toSpliced(index, 1))}
              >
                <IconX size={16} />
              </Tool>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Tool(props: { name: string; off?: boolean; onClick: () => void; children: React.ReactNode }) {
  return (
    <ActionIcon
      size={28}
      variant="subtle"
      color="gray"
      aria-label={props.name}
      title={props.name}
      disabled={props.off ?? false}
      onClick={props.onClick}
    >
      {props.children}
    </ActionIcon>
  );
}

const shownWords = 40;

function nameOf({ prompt }: Job): string {
  return prompt === '' ? t('this image') : prompt.slice(0, shownWords);
}
