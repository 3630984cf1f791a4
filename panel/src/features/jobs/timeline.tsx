import type { JobDetail } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';
import { duration, LocalTime } from '../../ui/time.tsx';
import classes from './timeline.module.css';

/** The panel's words for these steps; other steps have the server's words. */
const texts: Partial<Record<JobDetail['timeline'][number]['what'], string>> = {
  created: t('Accepted; the price is reserved.'),
  started: t('The first attempt began.'),
  done: t('The image is stored; the price is captured.'),
};

export function Timeline({ timeline }: Pick<JobDetail, 'timeline'>) {
  return (
    <ol className={classes.timeline}>
      {timeline.map((step, index) => {
        const before = timeline[index - 1];
        return (
          <li key={step.at + step.what} data-what={step.what}>
            <span>{texts[step.what] ?? step.text}</span>
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
