import type { Job } from '@darkroom/server/panel-contract';
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconColumns2 as IconCompare, IconShare2 as IconShare, IconTag } from '@tabler/icons-react';
import { useAccountId } from '../../api/account.ts';
import { useMark } from '../../api/marks.ts';
import { usePageKeys } from '../../ui/page-keys.ts';
import { downloadImage } from '../choose/download-image.ts';
import { TagPopover } from '../choose/tag-popover.tsx';
import { isFinal, verdictOf } from '../choose/verdicts.ts';
import { ShareDialog, useSharing } from './share-dialog.tsx';

export type Asked = 'share' | 'tag' | undefined;

export function LightboxTools(props: {
  job: Job;
  look: ActionIconProps;
  covered: boolean;
  asked: Asked;
  onAsk: (asked: Asked) => void;
  /** Undefined if the image has no neighbour. */
  onCompare: (() => void) | undefined;
  onNext: () => void;
}) {
  const { job, look, asked, onAsk, onCompare } = props;
  const accountId = useAccountId();
  const isSharing = useSharing();
  const mark = useMark();
  const jobIds = [job.job_id];
  usePageKeys((key) => {
    // The star button itself handles S.
    const verdict = key === 's' ? undefined : verdictOf(key, [job]);
    if (props.covered) return;
    if (verdict) mark.mutate({ jobIds, ...verdict });
    if (isFinal(key)) props.onNext();
    if (key === 'd') downloadImage(accountId, job);
    if (key === 't') onAsk('tag');
    if (key === 'c') onCompare?.();
  });
  if (!job.result?.image_url) return null;
  return (
    <>
      {isSharing && (
        <ActionIcon {...look} aria-label="Share" title="Share" onClick={() => onAsk('share')}>
          <IconShare size={18} />
        </ActionIcon>
      )}
      <TagPopover
        opened={asked === 'tag'}
        onChange={(open) => onAsk(open ? 'tag' : undefined)}
        onTag={(tag) => mark.mutate({ jobIds, add: [tag] })}
      >
        <ActionIcon
          {...look}
          aria-label="Tag"
          aria-keyshortcuts="t"
          title="Tag (T)"
          onClick={() => onAsk(asked === 'tag' ? undefined : 'tag')}
        >
          <IconTag size={18} />
        </ActionIcon>
      </TagPopover>
      {onCompare && (
        <ActionIcon
          {...look}
          aria-label="Compare"
          aria-keyshortcuts="c"
          title="Compare with the one beside it (C)"
          onClick={onCompare}
        >
          <IconCompare size={18} />
        </ActionIcon>
      )}
      <ShareDialog jobIds={jobIds} opened={asked === 'share'} onClose={() => onAsk(undefined)} />
    </>
  );
}
