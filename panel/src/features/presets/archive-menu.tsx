import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { archiveOf } from './archive-link.ts';
import { usePresets } from './presets.ts';
import { PresetsDialog } from './presets-dialog.tsx';

/** Images as one archive: as they were made, or as a preset says. */
export function ArchiveMenu({ jobIds, size }: { jobIds: readonly string[]; size: string }) {
  const accountId = useAccountId();
  const { presets } = usePresets();
  const [editing, setEditing] = useState(false);
  return (
    <>
      <Button.Group>
        <Button component="a" download variant="default" size={size} href={archiveOf(accountId, jobIds)}>
          Download
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <Button variant="default" size={size} px={6} aria-label="Presets">
              <IconChevronDown size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {presets.map((preset) => (
              <Menu.Item key={preset.name} component="a" download href={archiveOf(accountId, jobIds, preset)}>
                {preset.name}
              </Menu.Item>
            ))}
            {presets.length > 0 && <Menu.Divider />}
            <Menu.Item onClick={() => setEditing(true)}>
              {presets.length > 0 ? 'Change presets' : 'New preset'}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <PresetsDialog opened={editing} onClose={() => setEditing(false)} />
    </>
  );
}
