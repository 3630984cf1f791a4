import type { Job, JobDetail } from '@darkroom/server/panel-contract';
import { useAccountId } from '../../api/account.ts';
import { paths } from '../../paths.ts';
import { Id, shortId } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/figures/figures.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Expiry, RelativeTime } from '../../ui/time.tsx';
import { bytesText } from './bytes.ts';
import { modelName } from './job-words.ts';

export function JobFacts({ detail }: { detail: JobDetail }) {
  return (
    <aside className="card padded" aria-label="Facts">
      <Facts>
        <WhatItIs job={detail.job} requested={detail.requested_ratio} />
        <WhereItComesFrom detail={detail} />
      </Facts>
    </aside>
  );
}

function WhatItIs({ job, requested }: { job: Job; requested: string }) {
  const { result, parameters = {} } = job;
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
        {requested !== job.aspect_ratio && <span className="soft"> from {requested}</span>}
      </Fact>
      <Fact name="Resolution">
        {job.resolution}
        {result && (
          <span className="soft number">
            {' '}
            · {result.width} × {result.height}
          </span>
        )}
      </Fact>
      {Object.entries(parameters).map(([name, value]) => (
        <Fact key={name} name={name}>
          {String(value)}
        </Fact>
      ))}
      {result && <Fact name="Size">{bytesText(result.bytes)}</Fact>}
      <Fact name="Price">
        <Money amount={job.price} />
      </Fact>
    </>
  );
}

function WhereItComesFrom({ detail }: { detail: JobDetail }) {
  const { job } = detail;
  const accountId = useAccountId();
  return (
    <>
      <Fact name="Created with">
        {detail.key ? (
          <Link href={paths.jobs(accountId, { key: detail.key.key_id })}>{detail.key.name}</Link>
        ) : (
          'The panel'
        )}
      </Fact>
      {detail.batch_id && (
        <Fact name="Batch">
          <Link href={paths.jobs(accountId, { batch: detail.batch_id })}>
            <code>{shortId(detail.batch_id)}</code>
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
      {detail.upstream?.route && (
        <Fact name="Route">
          <code>{detail.upstream.route}</code>
        </Fact>
      )}
      {detail.upstream?.cost && (
        <Fact name="Upstream cost">
          <Money amount={detail.upstream.cost} />
        </Fact>
      )}
      <Fact name="Attempts">{detail.attempts}</Fact>
      {detail.image_expires_at && (
        <Fact name="Image link">
          <Expiry at={detail.image_expires_at} beside />
        </Fact>
      )}
      {detail.idempotency_key && (
        <Fact name="Idempotency">
          <Id id={detail.idempotency_key} what="Idempotency-Key" />
        </Fact>
      )}
      {detail.callback_url && <Fact name="Callback">{detail.callback_url}</Fact>}
    </>
  );
}
