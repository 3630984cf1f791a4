import type { Job } from '@darkroom/server/panel-contract';
import { Image } from '../../ui/image.tsx';
import classes from './own-images.module.css';

export function OwnImages({ jobs, onPick }: { jobs: readonly Job[]; onPick: (jobId: string) => void }) {
  return (
    <ul className={classes.images} aria-label="Your images">
      {jobs.map(
        (job) =>
          job.result && (
            <li key={job.job_id}>
              <button type="button" title={job.prompt} onClick={() => onPick(job.job_id)}>
                <Image
                  facts={job.result}
                  alt={job.prompt}
                  sizes="(max-width: 1000px) 46vw, 240px"
                  ratio={1}
                  className={classes.image}
                />
              </button>
            </li>
          ),
      )}
    </ul>
  );
}
