import type { Job } from '@darkroom/server/panel-contract';
import { Menu } from '@mantine/core';
import { useAccountId } from '../../api/account.ts';
import { widths } from '../../ui/image-links.ts';
import { imageFileOf, otherFormats } from '../presets/image-file.ts';
import { PresetMenu } from '../presets/preset-menu.tsx';
import { formatNames, type Preset, usualQuality } from '../presets/presets.ts';
import { formatOf } from './job-words.ts';

export function DownloadMenu({ job, size }: { job: Job; size: string }) {
  const accountId = useAccountId();
  if (!job.result?.image_url) return null;
  const { width, height } = job.result;
  const own = formatOf(job);
  const linkOf = (wish?: Partial<Preset>) => imageFileOf(accountId, job.job_id, wish);
  return (
    <PresetMenu label="Other formats and sizes" size={size} position="bottom-end" linkOf={linkOf}>
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
    </PresetMenu>
  );
}
