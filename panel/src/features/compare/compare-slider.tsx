import type { Job } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { Image } from '../../ui/image.tsx';
import { modelName, ratioOf } from '../jobs/job-words.ts';
import { ImageSlider } from './image-slider.tsx';

export function CompareSlider({ jobs }: { jobs: Job[] }) {
  const [left, setLeft] = useState(0);
  const [right, setRight] = useState(1);
  const [one, other] = [jobs[left] ?? jobs[0], jobs[right] ?? jobs[1]];
  if (!one?.result || !other?.result) return null;
  const names = jobs.map((job, index) => ({
    value: String(index),
    label: `${index + 1}. ${modelName(job.model)}, ${job.resolution}`,
  }));
  const sizes = '(max-width: 1000px) 100vw, 900px';
  return (
    <div className="stack tight">
      <ImageSlider
        ratio={ratioOf(one)}
        label="How much of the left image is shown, in percent"
        left={<Image facts={one.result} alt={`Left: ${one.prompt}`} sizes={sizes} eager />}
        right={<Image facts={other.result} alt={`Right: ${other.prompt}`} sizes={sizes} eager />}
      />
      <div className="row between">
        <NativeSelect
          size="xs"
          aria-label="Left image"
          value={String(left)}
          onChange={(event) => setLeft(Number(event.currentTarget.value))}
          data={names}
        />
        <NativeSelect
          size="xs"
          aria-label="Right image"
          value={String(right)}
          onChange={(event) => setRight(Number(event.currentTarget.value))}
          data={names}
        />
      </div>
    </div>
  );
}
