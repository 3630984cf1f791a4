import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button, Checkbox, NativeSelect, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { readPages, useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { announce } from '../../ui/announce.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { LocalTime } from '../../ui/time.tsx';
import { imagesText } from '../albums/album-calls.ts';

const shares = 'GET /api/v1/shares';
type Share = AnswerOf<typeof shares>['data'][number];

export function useSharing(): boolean {
  const params = { account_id: useAccountId() };
  return useRead(shares, { params }).data?.enabled ?? false;
}

export function ShareDialog(props: {
  jobIds: readonly string[];
  /** The album to share instead of the images. */
  albumId?: string;
  opened: boolean;
  onClose: () => void;
}) {
  const { jobIds, albumId, opened, onClose } = props;
  const params = { account_id: useAccountId() };
  const links = useInfiniteQuery(readPages(shares, { params, query: { limit: '100' } }));
  const rows = links.data?.pages.flatMap((page) => page.data.filter(works));
  return (
    <Dialog title={albumId ? 'Share this album' : titleOf(jobIds.length)} opened={opened} onClose={onClose}>
      {(albumId || jobIds.length > 0) && <NewLink jobIds={jobIds} albumId={albumId} onClose={onClose} />}
      <Await query={{ ...links, data: rows }} wait={<Skeleton height={60} />}>
        {(list) => <Links links={list} />}
      </Await>
      <LoadMore query={links} />
    </Dialog>
  );
}

function NewLink(props: { jobIds: readonly string[]; albumId: string | undefined; onClose: () => void }) {
  const { jobIds, albumId, onClose } = props;
  const params = { account_id: useAccountId() };
  const [withPrompts, setWithPrompts] = useState(false);
  const [days, setDays] = useState('7');
  const share = useSend('POST /api/v1/shares', [shares]);
  const submit = () => {
    const what = albumId ? { album_id: albumId } : { job_ids: [...jobIds] };
    const body = { ...what, with_prompts: withPrompts, days: Number(days) };
    share.mutate({ params, body }, { onSuccess: () => announce(t('The link is made')) });
  };
  return (
    <DialogForm action="Make a public link" sending={share} onSubmit={submit} onClose={onClose}>
      <p className="soft small">
        {albumId
          ? 'Anyone with the link sees what is in the album, as it changes, and nothing else of the account. Search engines are asked not to list it.'
          : 'Anyone with the link sees these images and nothing else of the account. Search engines are asked not to list it.'}
      </p>
      <Checkbox
        label="Show the prompts"
        checked={withPrompts}
        onChange={(event) => setWithPrompts(event.currentTarget.checked)}
      />
      <NativeSelect
        label="Expires"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '1', label: t('In 1 day') },
          { value: '7', label: t('In 7 days') },
          { value: '30', label: t('In 30 days') },
          { value: '365', label: t('In a year') },
        ]}
      />
    </DialogForm>
  );
}

function Links({ links }: { links: Share[] }) {
  if (links.length === 0)
    return <p className="soft small">No public links. Select images, or open an album, and choose Share.</p>;
  return (
    <ul className="stack tight" aria-label="Public links">
      {links.map((link) => (
        <LinkRow key={link.token} link={link} />
      ))}
    </ul>
  );
}

function LinkRow({ link }: { link: Share }) {
  const params = { account_id: useAccountId(), token: link.token };
  const revoke = useSend('DELETE /api/v1/shares/:token', [shares]);
  const count = link.job_ids.length;
  return (
    <li className="stack tight">
      <div className="row">
        <a href={link.url} target="_blank" rel="noreferrer">
          {link.album_id !== null ? 'An album' : imagesText(count)}
        </a>
        <CopyButton text={link.url} what="link" />
        <span className="soft small">
          {link.with_prompts ? (
            <>
              with prompts, until <LocalTime at={link.expires_at} />
            </>
          ) : (
            <>
              without prompts, until <LocalTime at={link.expires_at} />
            </>
          )}
        </span>
        <Button
          size="compact-sm"
          variant="default"
          loading={revoke.isPending}
          onClick={() => revoke.mutate({ params }, { onSuccess: () => announce(t('The link is revoked')) })}
        >
          Revoke
        </Button>
      </div>
      <ProblemAlert error={revoke.error} />
    </li>
  );
}

function works({ revoked_at, expires_at }: Share): boolean {
  return revoked_at === null && Date.parse(expires_at) > Date.now();
}

function titleOf(count: number): string {
  if (count === 0) return t('Public links');
  return t('{count, plural, =1 {Share this image} other {Share # images}}', { count });
}
