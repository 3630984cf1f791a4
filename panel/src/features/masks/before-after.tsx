import type { Job } from '@darkroom/server/panel-contract';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Image } from '../../ui/image.tsx';
import { ImageSlider } from '../compare/image-slider.tsx';
import { ratioOf } from '../jobs/job-words.ts';
import classes from './before-after.module.css';

/** Shows an edited image over the original. The server cropped the original to the same shape. */
export function BeforeAfter({ job }: { job: Job }) {
  const [withMask, setWithMask] = useState(false);
  const { result, mask_url: mask, input_images_urls: inputs } = job;
  if (!result?.image_url || !inputs[0]) return null;
  return (
    <div className="stack tight">
      <ImageSlider
        ratio={ratioOf(job)}
        label="How much is shown as it was before, in percent"
        left={<img src={inputs[0]} alt="Before" className={classes.cut} />}
        right={
          <Image facts={result} alt={`After: ${job.prompt}`} sizes="(max-width: 1000px) 100vw, 900px" eager />
        }
      >
        {withMask && mask && (
          <i className={classes.mask} style={{ maskImage: `url("${mask}")` }} aria-hidden />
        )}
      </ImageSlider>
      {mask && (
        <Checkbox
          size="xs"
          label="Show the mask"
          checked={withMask}
          onChange={(event) => setWithMask(event.currentTarget.checked)}
        />
      )}
    </div>
  );
}
