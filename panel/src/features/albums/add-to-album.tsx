import { Menu } from '@mantine/core';
import { IconFolderPlus, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { announce } from '../../ui/announce.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { imagesText, useChangeAlbum, useCreateAlbum } from './album-calls.ts';
import { AlbumForm } from './album-form.tsx';

export function AddToAlbum({ jobIds }: { jobIds: string[] }) {
  const account_id = useAccountId();
  const [open, setOpen] = useState(false);
  const [naming, setNaming] = useState(false);
  const albums = useRead('GET /api/v1/albums', { params: { account_id } }, { enabled: open });
  const change = useChangeAlbum();
  const create = useCreateAlbum();
  const added = (name: string) => announce(t('Added to {name}', { name }));
  return (
    <>
      <ProblemAlert error={change.error} />
      <Menu position="top" opened={open} onChange={setOpen}>
        <Menu.Target>
          <ActionButton
            size="compact-sm"
            variant="default"
            loading={change.isPending}
            onClick={() => setOpen(!open)}
          >
            <IconFolderPlus size={15} aria-hidden style={{ marginRight: 5 }} /> Add to album
          </ActionButton>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          <Menu.Item leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setNaming(true)}>
            New album
          </Menu.Item>
          {albums.data?.data.map(({ album_id, name, images }) => (
            <Menu.Item
              key={album_id}
              rightSection={<span className="soft small">{imagesText(images)}</span>}
              onClick={() =>
                change.mutate(
                  { params: { account_id, album_id }, body: { add: jobIds } },
                  { onSuccess: () => added(name) },
                )
              }
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <AlbumForm
        title={`New album with ${imagesText(jobIds.length)}`}
        action="Make album"
        opened={naming}
        sending={create}
        onClose={() => setNaming(false)}
        onName={(name) =>
          create.mutate(
            { params: { account_id }, body: { name, add: jobIds } },
            {
              onSuccess: () => {
                setNaming(false);
                added(name);
              },
            },
          )
        }
      />
    </>
  );
}
