import type { Job } from '@darkroom/server/panel-contract';
import { ActionIcon, Button } from '@mantine/core';
import { IconStar, IconTag, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useMark } from '../../api/marks.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { AddToAlbum } from '../albums/add-to-album.tsx';
import { TagPopover } from '../choose/tag-popover.tsx';
import { mostCompared } from '../choose/verdicts.ts';
import { ConfirmDelete } from '../jobs/confirm-delete.tsx';
import { once } from '../jobs/idempotency.ts';
import { ArchiveMenu } from '../presets/archive-menu.tsx';
import classes from './bulk-bar.module.css';
import type { Selection } from './selection.ts';
import { ShareDialog, useSharing } from './share-dialog.tsx';

/** The server's maximum per request. */
const most = 100;

export function BulkBar(props: {
  selection: Selection;
  jobs: readonly Job[];
  deleting: boolean;
  onDeleting: (open: boolean) => void;
  onCompare: (jobIds: string[]) => void;
}) {
  const { selection } = props;
  const disabled = useAccount()?.disabled ?? false;
  const again = useRunAgain(selection);
  const mark = useMark();
  const isSharing = useSharing();
  const [sharing, setSharing] = useState(false);
  const [tagging, setTagging] = useState(false);
  const count = selection.ids.size;
  if (count === 0) return null;
  const jobIds = [...selection.ids];
  const images = props.jobs.filter((job) => selection.ids.has(job.job_id) && job.result?.image_url).length;
  const why = count > most ? t('At most {most} at a time.', { most }) : undefined;
  return (
    <div className={classes.dock}>
      <ProblemAlert error={again.error} />
      <section className={classes.bar} aria-label="Selected images">
        <span className="number nowrap strong" role="status">
          {images < count
            ? t('{images, plural, one {# image} other {# images}} of {count} selected', {
                images,
                count,
              })
            : `${count} selected`}
        </span>
        <div className={classes.actions}>
          <ArchiveMenu size="compact-sm" jobIds={jobIds} />
          {isSharing && (
            <ActionButton size="compact-sm" variant="default" why={why} onClick={() => setSharing(true)}>
              Share
            </ActionButton>
          )}
          <AddToAlbum jobIds={jobIds} />
          <ActionButton
            size="compact-sm"
            variant="default"
            why={disabled ? 'This account is disabled.' : why}
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            Run again
          </ActionButton>
          <ActionButton
            size="compact-sm"
            variant="default"
            why={why}
            onClick={() => mark.mutate({ jobIds, starred: true })}
          >
            <IconStar size={15} aria-hidden style={{ marginRight: 5 }} /> Star
          </ActionButton>
          <TagPopover
            opened={tagging}
            onChange={setTagging}
            onTag={(tag) => mark.mutate({ jobIds, add: [tag] })}
          >
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconTag size={15} aria-hidden />}
              onClick={() => setTagging(!tagging)}
            >
              Tag
            </Button>
          </TagPopover>
          {count > 1 && (
            <ActionButton
              size="compact-sm"
              variant="default"
              why={count > mostCompared ? `At most ${mostCompared} are compared at a time.` : undefined}
              onClick={() => props.onCompare(jobIds)}
            >
              Compare
            </ActionButton>
          )}
          <ActionButton size="compact-sm" variant="default" why={why} onClick={() => props.onDeleting(true)}>
            Delete
          </ActionButton>
          <ActionIcon size={26} aria-label="Clear" onClick={selection.clear}>
            <IconX size={16} />
          </ActionIcon>
        </div>
      </section>
      <ShareDialog jobIds={jobIds} opened={sharing} onClose={() => setSharing(false)} />
      <ConfirmDelete
        jobIds={jobIds}
        // The Delete key opens this dialog even while the button is disabled.
        why={why}
        opened={props.deleting}
        onClose={() => props.onDeleting(false)}
        onDeleted={() => {
          selection.clear();
          props.onDeleting(false);
        }}
      />
    </div>
  );
}

function useRunAgain(selection: Selection) {
  const accountId = useAccountId();
  // If one job fails, the next click skips the jobs of this selection that were already repeated.
  const last = useRef({ of: '', done: new Set<string>() });
  return useMutation({
    mutationFn: async () => {
      const of = [...selection.ids].join();
      if (last.current.of !== of) last.current = { of, done: new Set() };
      const { done } = last.current;
      for (const job_id of selection.ids) {
        if (done.has(job_id)) continue;
        const input = { params: { account_id: accountId, job_id } };
        await once(input, (idempotencyKey) =>
          send('POST /api/v1/jobs/:job_id/again', input, { idempotencyKey }),
        );
        done.add(job_id);
      }
    },
    onSuccess() {
      last.current.of = '';
      selection.clear();
    },
  });
}
