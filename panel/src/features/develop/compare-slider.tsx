import type { Job } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { Picture } from '../../ui/picture.tsx';
import { modelName, ratioOf } from '../jobs/job-words.ts';
import classes from './compare-slider.module.css';

/** Two pictures, one over the other, with a bar between them that moves by mouse, finger and arrow keys. */
export function CompareSlider({ jobs }: { jobs: Job[] }) {
  const [left, setLeft] = useState(0);
  const [right, setRight] = useState(1);
  const [share, setShare] = useState(50);
  const [one, other] = [jobs[left] ?? jobs[0], jobs[right] ?? jobs[1]];
  if (!one?.result || !other?.result) return null;
  const names = jobs.map((job, index) => ({
    value: String(index),
    label: `${index + 1}. ${modelName(job.model)}, ${job.resolution}`,
  }));
  const sizes = '(max-width: 1000px) 100vw, 900px';
  return (
    <div className="stack tight">
      <div className={classes.frame} style={{ aspectRatio: ratioOf(one) }}>
        <Picture
          facts={other.result}
          alt={`Right: ${other.prompt}`}
          sizes={sizes}
          className={classes.picture}
          eager
        />
        <div className={classes.over} style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
          <Picture
            facts={one.result}
            alt={`Left: ${one.prompt}`}
            sizes={sizes}
            className={classes.picture}
            eager
          />
        </div>
        <i className={classes.bar} style={{ left: `${share}%` }} aria-hidden />
        <input
          className={classes.range}
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label="How much of the left image is shown, in percent"
          onChange={(event) => setShare(Number(event.currentTarget.value))}
        />
      </div>
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
