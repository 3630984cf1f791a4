import type { JobDetail } from '@darkroom/server/panel-contract';
import { duration, LocalTime } from '../../ui/time.tsx';
import classes from './timeline.module.css';

/** What happened to a job, with the time between the steps. */
export function Timeline({ timeline }: Pick<JobDetail, 'timeline'>) {
  return (
    <ol className={classes.timeline}>
      {timeline.map((step, index) => {
        const before = timeline[index - 1];
        return (
          <li key={step.at + step.what} data-what={step.what}>
            <span>{step.text}</span>
            <span className="soft tiny number">
              {before && `+${duration(Date.parse(step.at) - Date.parse(before.at))} · `}
              <LocalTime at={step.at} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
