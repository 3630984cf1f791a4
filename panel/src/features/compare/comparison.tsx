import type { JobDetail } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { read } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Image } from '../../ui/image.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { duration } from '../../ui/time.tsx';
import { JobImage } from '../jobs/job-progress.tsx';
import { modelName, ratioOf, tookMs } from '../jobs/job-words.ts';
import { CompareSlider } from './compare-slider.tsx';
import classes from './comparison.module.css';

/** The polling interval while live updates are interrupted. */
const pollMs = 2_000;

export function Comparison(props: {
  jobIds: string[];
  onDiscard: (jobId: string) => void;
  onUse: (jobId: string) => void;
}) {
  const accountId = useAccountId();
  const [comparing, setComparing] = useState(false);
  const jobs = useQueries({
    queries: props.jobIds.map((job_id) => ({
      ...read('GET /panel/accounts/:account_id/jobs/:job_id', { params: { account_id: accountId, job_id } }),
      refetchInterval: (query: { state: { data?: JobDetail | undefined } }) =>
        query.state.data?.job.finished_at === null ? pollMs : false,
    })),
  }).flatMap(({ data }) => data ?? []);
  const made = jobs.flatMap(({ job }) => (job.result?.image_url ? [job] : []));
  const inSeveral = new Set(jobs.map(({ job }) => job.aspect_ratio)).size > 1;
  return (
    <Section
      title={t('{count, plural, one {# image} other {# images}}', { count: props.jobIds.length })}
      hint={made.length < jobs.length ? `${made.length} done` : undefined}
      actions={
        made.length > 1 && (
          <Button size="xs" variant="default" onClick={() => setComparing(!comparing)}>
            {comparing ? 'Show all' : 'Side by side'}
          </Button>
        )
      }
    >
      {comparing && made.length > 1 ? (
        <CompareSlider jobs={made} />
      ) : (
        <ul className={classes.tiles} aria-label="Images made together">
          {jobs.map(({ job, attempts }) => (
            <Tile
              key={job.job_id}
              detail={{ job, attempts }}
              inSeveral={inSeveral}
              href={paths.image(accountId, job.job_id)}
              onDiscard={() => props.onDiscard(job.job_id)}
              onUse={() => props.onUse(job.job_id)}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Tile(props: {
  detail: Pick<JobDetail, 'job' | 'attempts'>;
  /** True if the images have different shapes. */
  inSeveral: boolean;
  href: string;
  onDiscard: () => void;
  onUse: () => void;
}) {
  const { job } = props.detail;
  const took = tookMs(job);
  const shape = props.inSeveral ? `${job.resolution}, ${job.aspect_ratio}` : job.resolution;
  const about = `${modelName(job.model)}, ${shape}`;
  return (
    <li className={classes.tile}>
      {job.result?.image_url ? (
        <Link href={props.href} className="bare">
          <Image
            facts={job.result}
            alt={`${job.prompt}, ${about}`}
            sizes="(max-width: 1000px) 50vw, 420px"
            style={{ aspectRatio: ratioOf(job) }}
            className={classes.image}
          />
        </Link>
      ) : (
        <JobImage detail={props.detail} />
      )}
      <p className="row small" style={{ gap: '2px 8px' }}>
        <span className="strong">{modelName(job.model)}</span>
        <span className="soft">{shape}</span>
        {took !== null && <span className="soft number">{duration(took)}</span>}
        {job.status === 'done' && <Money amount={job.price} />}
      </p>
      <div className="row" style={{ gap: 6 }}>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Use settings of ${about}`}
          onClick={props.onUse}
        >
          Use settings
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={`Remove ${about} from this comparison`}
          onClick={props.onDiscard}
        >
          Remove
        </Button>
      </div>
    </li>
  );
}
