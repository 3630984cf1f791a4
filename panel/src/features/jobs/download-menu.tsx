import type { Job } from '@darkroom/server/panel-contract';
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { widths } from '../../ui/picture-links.ts';
import { imageFileOf, otherFormats } from '../presets/image-file.ts';
import { formatNames, usePresets, usualQuality } from '../presets/presets.ts';
import { PresetsDialog } from '../presets/presets-dialog.tsx';
import { formatOf } from './job-words.ts';

/** The picture as it was made, in another format, smaller as WebP, or as a preset says. */
export function DownloadMenu({ job, size }: { job: Job; size: string }) {
  const accountId = useAccountId();
  const { presets } = usePresets();
  const [editing, setEditing] = useState(false);
  if (!job.result?.image_url) return null;
  const { width, height } = job.result;
  const own = formatOf(job);
  const linkOf = (wish?: Parameters<typeof imageFileOf>[2]) => imageFileOf(accountId, job.job_id, wish);
  return (
    <>
      <Button.Group>
        <Button size={size} component="a" href={linkOf()} download>
          Download
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size={size} px={6} aria-label="Other formats and sizes">
              <IconChevronDown size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item component="a" href={linkOf()} download>
              {formatNames[own]}, {width} × {height}
            </Menu.Item>
            {otherFormats(own).map((format) => (
              <Menu.Item
                key={format}
                component="a"
                href={linkOf({ format, ...(format !== 'png' && { quality: usualQuality }) })}
                download
              >
                {formatNames[format]}, {width} × {height}
              </Menu.Item>
            ))}
            {widths
              .filter((one) => one < width)
              .map((one) => (
                <Menu.Item key={one} component="a" href={linkOf({ width: String(one) })} download>
                  WebP, {one} pixels wide
                </Menu.Item>
              ))}
            <Menu.Divider />
            {presets.map((preset) => (
              <Menu.Item key={preset.name} component="a" href={linkOf(preset)} download>
                {preset.name}
              </Menu.Item>
            ))}
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
