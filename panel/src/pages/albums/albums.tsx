import { Button } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccountId, useRights } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { type Album, imagesText, useCreateAlbum } from '../../features/albums/album-calls.ts';
import { AlbumForm } from '../../features/albums/album-form.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import classes from './albums.module.css';

export function AlbumsPage() {
  const account_id = useAccountId();
  const mayMake = useRights().includes('make_pictures');
  const albums = useRead('GET /api/v1/albums', { params: { account_id } });
  const [naming, setNaming] = useState(false);
  const create = useCreateAlbum();
  const go = useGo();
  const button = mayMake && <Button onClick={() => setNaming(true)}>New album</Button>;
  const isEmpty = albums.data?.data.length === 0;
  return (
    <Page
      title="Albums"
      intro="Images in an order of your own, behind one link."
      actions={!isEmpty && button}
    >
      <Await query={albums} wait={<TableSkeleton rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No albums yet" action={button}>
              Select images in the gallery and add them to an album, or begin with an empty one.
            </EmptyState>
          ) : (
            <ul className={classes.albums}>
              {data.map((album) => (
                <AlbumCard key={album.album_id} album={album} accountId={account_id} />
              ))}
            </ul>
          )
        }
      </Await>
      <AlbumForm
        title="New album"
        action="Make album"
        opened={naming}
        sending={create}
        onClose={() => setNaming(false)}
        onName={(name) =>
          create.mutate(
            { params: { account_id }, body: { name } },
            { onSuccess: ({ album_id }) => go(paths.album(account_id, album_id)) },
          )
        }
      />
    </Page>
  );
}

function AlbumCard({ album, accountId }: { album: Album; accountId: string }) {
  return (
    <li>
      <Link href={paths.album(accountId, album.album_id)} className={`bare ${classes.card}`}>
        <span className={classes.cover}>
          {album.cover_url === null ? (
            <IconPhoto size={28} stroke={1.4} aria-hidden />
          ) : (
            <img src={album.cover_url} alt="" loading="lazy" decoding="async" />
          )}
        </span>
        <span className={classes.name} dir="auto">
          {album.name}
        </span>
        <span className="soft small">{imagesText(album.images)}</span>
      </Link>
    </li>
  );
}
