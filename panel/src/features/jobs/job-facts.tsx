import type { JobDetail } from '@darkroom/server/panel-contract';
import { useAccountId } from '../../api/account.ts';
import { paths } from '../../paths.ts';
import { Id, shortId } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/figures/figures.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Expiry, RelativeTime } from '../../ui/time.tsx';
import { bytesText } from './bytes.ts';
import { modelName } from './job-words.ts';

export function JobFacts({ job }: { job: JobDetail }) {
  return (
    <aside className="card padded" aria-label="Facts">
      <Facts>
        <WhatItIs job={job} />
        <WhereItComesFrom job={job} />
      </Facts>
    </aside>
  );
}

function WhatItIs({ job }: { job: JobDetail }) {
  return (
    <>
      <Fact name="Id">
        <Id id={job.job_id} what="job id" />
      </Fact>
      <Fact name="Model">
        {modelName(job.model)} <code className="soft">{job.model}</code>
      </Fact>
      <Fact name="Ratio">
        {job.aspect_ratio}
        {job.requested_ratio !== job.aspect_ratio && (
          <span className="soft"> from {job.requested_ratio}</span>
        )}
      </Fact>
      <Fact name="Resolution">
        {job.resolution}
        {job.width && (
          <span className="soft number">
            {' '}
            · {job.width} × {job.height}
          </span>
        )}
      </Fact>
      {Object.entries(job.request.body.parameters ?? {}).map(([name, value]) => (
        <Fact key={name} name={name}>
          {String(value)}
        </Fact>
      ))}
      {job.bytes !== null && <Fact name="Size">{bytesText(job.bytes)}</Fact>}
      <Fact name="Price">
        <Money amount={job.price} />
      </Fact>
    </>
  );
}

function WhereItComesFrom({ job }: { job: JobDetail }) {
  const accountId = useAccountId();
  return (
    <>
      <Fact name="Created with">
        {job.key ? (
          <Link href={paths.jobs(accountId, { key: job.key.key_id })}>{job.key.name}</Link>
        ) : (
          'The playground'
        )}
      </Fact>
      {job.batch_id && (
        <Fact name="Batch">
          <Link href={paths.jobs(accountId, { batch: job.batch_id })}>
            <code>{shortId(job.batch_id)}</code>
          </Link>
        </Fact>
      )}
      <Fact name="Created">
        <RelativeTime at={job.created_at} beside />
      </Fact>
      {job.finished_at && (
        <Fact name="Finished">
          <RelativeTime at={job.finished_at} beside />
        </Fact>
      )}
      {job.upstream?.route && (
        <Fact name="Route">
          <code>{job.upstream.route}</code>
        </Fact>
      )}
      {job.upstream?.cost && (
        <Fact name="Upstream cost">
          <Money amount={job.upstream.cost} />
        </Fact>
      )}
      <Fact name="Attempts">{job.attempts}</Fact>
      {job.image_expires_at && (
        <Fact name="Image link">
          <Expiry at={job.image_expires_at} beside />
        </Fact>
      )}
      {job.idempotency_key && (
        <Fact name="Idempotency">
          <Id id={job.idempotency_key} what="Idempotency-Key" />
        </Fact>
      )}
      {job.callback_url && <Fact name="Callback">{job.callback_url}</Fact>}
    </>
  );
}
