import type { Job } from '@darkroom/server/panel-contract';
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { atWidth, widths } from '../../ui/picture-links.ts';
import { formatOf } from './job-words.ts';

/** The picture as it was made, or smaller as WebP. */
export function DownloadMenu({ job, size }: { job: Job; size: string }) {
  if (!job.result?.image_url) return null;
  const { image_url: link, width, height } = job.result;
  const format = formatOf(job);
  const smaller = widths.filter((one) => one < width);
  return (
    <Button.Group>
      <Button size={size} component="a" href={link} download={`${job.job_id}.${format}`}>
        Download
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size={size} px={6} aria-label="Other formats and sizes">
            <IconChevronDown size={15} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={link} download={`${job.job_id}.${format}`}>
            {format.toUpperCase()}, {width} × {height}
          </Menu.Item>
          {smaller.map((one) => (
            <Menu.Item
              key={one}
              component="a"
              href={atWidth(link, one)}
              download={`${job.job_id}-${one}.webp`}
            >
              WebP, {one} pixels wide
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}
