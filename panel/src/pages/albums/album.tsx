import type { Job } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountId, useParam, useRights } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { type Album, imagesText, useChangeAlbum, useDeleteAlbum } from '../../features/albums/album-calls.ts';
import { AlbumForm } from '../../features/albums/album-form.tsx';
import { OrderedImages } from '../../features/albums/ordered-images.tsx';
import { ShareDialog, useSharing } from '../../features/gallery/share-dialog.tsx';
import { ArchiveMenu } from '../../features/presets/archive-menu.tsx';
import { paths } from '../../paths.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';

export function AlbumPage() {
  const params = { account_id: useAccountId(), album_id: useParam('album_id') };
  const fixed = !useRights().includes('make_pictures');
  const read = useRead('GET /api/v1/albums/:album_id', { params });
  const change = useChangeAlbum();
  const [order, setOrder] = useState<string[]>();
  const ordered = orderedJobs(read.data?.data, change.isPending ? order : undefined);
  return (
    <Page
      title={read.data?.album.name ?? 'Album'}
      intro={
        <>
          <Link href={paths.albums(params.account_id)}>Albums</Link>
          {read.data && ` · ${imagesText(read.data.album.images)}`}
          {!fixed && (ordered?.length ?? 0) > 1 && ' · drag them into their order'}
        </>
      }
      actions={read.data && <Actions album={read.data.album} jobs={read.data.data} fixed={fixed} />}
    >
      <ProblemAlert error={change.error} />
      <Await query={{ ...read, data: ordered }} wait={<TableSkeleton rows={4} />}>
        {(jobs) =>
          jobs.length === 0 ? (
            <EmptyState title="Nothing in it yet">
              Select images in the <Link href={paths.jobs(params.account_id)}>gallery</Link> and choose{' '}
              <em>Add to album</em>.
            </EmptyState>
          ) : (
            <OrderedImages
              jobs={jobs}
              fixed={fixed}
              onOrder={(body, jobIds) => {
                setOrder(jobIds);
                change.mutate({ params, body });
              }}
            />
          )
        }
      </Await>
    </Page>
  );
}

/** The new order while it is being saved, otherwise the saved one. */
function orderedJobs(jobs: Job[] | undefined, order: string[] | undefined): Job[] | undefined {
  if (!order) return jobs;
  const byId = new Map(jobs?.map((job) => [job.job_id, job]));
  return order.flatMap((id) => byId.get(id) ?? []);
}

function Actions({ album, jobs, fixed }: { album: Album; jobs: Job[]; fixed: boolean }) {
  const { album_id, name } = album;
  const account_id = useAccountId();
  const params = { account_id, album_id };
  const [open, setOpen] = useState<'share' | 'name'>();
  const close = () => setOpen(undefined);
  const isSharing = useSharing();
  const change = useChangeAlbum();
  const remove = useDeleteAlbum();
  const go = useGo();
  return (
    <>
      {jobs.length > 0 && <ArchiveMenu size="sm" jobIds={jobs.map(({ job_id }) => job_id)} />}
      {!fixed && (
        <>
          {isSharing && jobs.length > 0 && (
            <Button variant="default" onClick={() => setOpen('share')}>
              Share
            </Button>
          )}
          <Button variant="default" onClick={() => setOpen('name')}>
            Rename
          </Button>
          <ConfirmButton
            size="sm"
            label="Delete"
            name={`Delete ${name}`}
            title={`Delete ${name}?`}
            action="Delete album"
            sending={remove}
            onConfirm={() => remove.mutate({ params }, { onSuccess: () => go(paths.albums(account_id)) })}
          >
            Its images stay where they are. Public links to it end.
          </ConfirmButton>
        </>
      )}
      <ShareDialog jobIds={[]} albumId={album_id} opened={open === 'share'} onClose={close} />
      <AlbumForm
        title="Rename the album"
        action="Save"
        name={name}
        opened={open === 'name'}
        sending={change}
        onClose={close}
        onName={(name) => change.mutate({ params, body: { name } }, { onSuccess: close })}
      />
    </>
  );
}
