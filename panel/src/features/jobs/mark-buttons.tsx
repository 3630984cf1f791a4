import type { Job } from '@darkroom/server/panel-contract';
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconStar, IconStarFilled, IconTrash } from '@tabler/icons-react';
import { useMark } from '../../api/marks.ts';
import { t } from '../../languages/words.ts';
import { usePageKeys } from '../../ui/page-keys.ts';
import { ConfirmDelete } from './confirm-delete.tsx';
import { isDeleted } from './job-words.ts';

/** Also handles the page's keys S and Delete. */
export function MarkButtons(props: {
  job: Job;
  look: ActionIconProps;
  /** True while an overlay handles the keys. */
  covered?: boolean;
  deleting: boolean;
  onDeleting: (open: boolean) => void;
  onDeleted?: () => void;
}) {
  const { job, look, deleting, onDeleting } = props;
  const mark = useMark();
  const starred = mark.isPending ? mark.variables.starred : job.starred;
  const star = () => mark.mutate({ jobIds: [job.job_id], starred: !starred });
  const isDeletable = job.finished_at !== null && !isDeleted(job);
  usePageKeys((key) => {
    if (deleting || props.covered) return;
    if (key === 's') star();
    if (key === 'Delete' && isDeletable) onDeleting(true);
  });
  return (
    <>
      <ActionIcon
        {...look}
        aria-label="Star"
        aria-pressed={starred}
        aria-keyshortcuts="s"
        title={`${starred ? t('Remove the star') : t('Star')} (S)`}
        onClick={star}
      >
        {starred ? <IconStarFilled size={18} /> : <IconStar size={18} />}
      </ActionIcon>
      {isDeletable && (
        <ActionIcon
          {...look}
          aria-label="Delete"
          aria-keyshortcuts="Delete"
          title="Delete (Del)"
          onClick={() => onDeleting(true)}
        >
          <IconTrash size={18} />
        </ActionIcon>
      )}
      <ConfirmDelete
        jobIds={[job.job_id]}
        opened={deleting}
        onClose={() => onDeleting(false)}
        onDeleted={() => {
          onDeleting(false);
          props.onDeleted?.();
        }}
      />
    </>
  );
}
