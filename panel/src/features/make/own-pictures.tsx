import type { Job } from '@darkroom/server/panel-contract';
import { Picture } from '../../ui/picture.tsx';
import classes from './own-pictures.module.css';

/** Pictures of the account, to go on from. */
export function OwnPictures({ jobs, onPick }: { jobs: readonly Job[]; onPick: (jobId: string) => void }) {
  return (
    <ul className={classes.pictures} aria-label="Your pictures">
      {jobs.map(
        (job) =>
          job.result && (
            <li key={job.job_id}>
              <button type="button" title={job.prompt} onClick={() => onPick(job.job_id)}>
                <Picture
                  facts={job.result}
                  alt={job.prompt}
                  sizes="(max-width: 1000px) 46vw, 240px"
                  ratio={1}
                  className={classes.picture}
                />
              </button>
            </li>
          ),
      )}
    </ul>
  );
}
