import '@mantine/core/styles/Tabs.css';
import type { Job, JobDetail } from '@darkroom/server/panel-contract';
import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { useAccountId, useParam } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { UndoDeletion } from '../../features/deletion/undo-deletion.tsx';
import { AttemptCosts } from '../../features/jobs/attempt-costs.tsx';
import { bytesText } from '../../features/jobs/bytes.ts';
import { JobActions } from '../../features/jobs/job-actions.tsx';
import { JobFacts } from '../../features/jobs/job-facts.tsx';
import { JobImage } from '../../features/jobs/job-progress.tsx';
import { promptOf, shortPrompt } from '../../features/jobs/job-words.ts';
import { MarkButtons } from '../../features/jobs/mark-buttons.tsx';
import { Timeline } from '../../features/jobs/timeline.tsx';
import { LineageTree } from '../../features/lineage/lineage-tree.tsx';
import { type ApiRequest, codeSamples } from '../../features/make/code-samples.ts';
import { CodeTabs } from '../../features/make/code-tabs.tsx';
import { BeforeAfter } from '../../features/masks/before-after.tsx';
import { EntryTable } from '../../features/money/entry-table.tsx';
import { AttemptList } from '../../features/webhooks/attempt-list.tsx';
import { paths } from '../../paths.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton, shortId } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DetailSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import classes from './job.module.css';

/** The polling interval while live updates are interrupted. */
const pollMs = 3_000;

export function JobPage() {
  const accountId = useAccountId();
  const job_id = useParam('job_id');
  const [deleting, setDeleting] = useState(false);
  const input = { params: { account_id: accountId, job_id } };
  const first = useRead('GET /panel/accounts/:account_id/jobs/:job_id', input);
  const open = first.data?.job.finished_at === null;
  const page = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    input,
    open ? { everyMs: pollMs } : {},
  );
  const job = page.data?.job;
  return (
    <Page
      title={job ? `${shortPrompt(job.prompt)} · Job` : 'Job'}
      heading={
        <span className="row">
          Job <code style={{ fontSize: 17 }}>{shortId(job_id)}</code>
          {job && <StatusBadge status={job.status} />}
        </span>
      }
      actions={
        job && (
          <>
            <JobActions key={job.job_id} job={job} />
            <MarkButtons
              job={job}
              look={{ variant: 'default', size: 36 }}
              deleting={deleting}
              onDeleting={setDeleting}
            />
          </>
        )
      }
    >
      <UndoDeletion />
      <Await query={page} wait={<DetailSkeleton />}>
        {(data) => (
          <div className="columns">
            <div className="stack wide">
              {data.job.mask_url && data.job.result?.image_url ? (
                <BeforeAfter job={data.job} />
              ) : (
                <JobImage detail={data} />
              )}
              <Words job={data.job} />
              <Inputs job={data.job} inputs={data.inputs} />
              <LineageTree job={data.job} lineage={data.lineage} />
              <Section title="Timeline">
                <Timeline timeline={data.timeline} />
              </Section>
              <Failures failures={data.failures} />
              {data.upstream && <AttemptCosts attempts={data.upstream.attempts} />}
              <Exchange job={data.job} request={data.request} />
              <Section title="Charges">
                <EntryTable entries={data.entries} />
              </Section>
              <Deliveries job={data.job} deliveries={data.deliveries} />
            </div>
            <JobFacts detail={data} />
          </div>
        )}
      </Await>
    </Page>
  );
}

function Words({ job }: { job: Job }) {
  return (
    <Section title="Prompt" actions={job.prompt && <CopyButton text={job.prompt} what="prompt" />}>
      <p className={classes.prompt} dir="auto">
        {promptOf(job)}
      </p>
      {job.result?.notes?.map((note) => (
        <p key={note} className="soft small">
          {note}
        </p>
      ))}
    </Section>
  );
}

function Inputs({ job, inputs }: Pick<JobDetail, 'job' | 'inputs'>) {
  if (inputs.length === 0) return null;
  return (
    <Section title="Input images">
      <ul className={classes.inputs}>
        {job.input_images_urls.map((url, index) => (
          <li key={url}>
            <img src={url} alt={`Input ${index + 1}`} loading="lazy" />
            <span className="tiny soft number">
              {inputs[index]?.width} × {inputs[index]?.height} · {bytesText(inputs[index]?.bytes ?? 0)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Failures({ failures }: Pick<JobDetail, 'failures'>) {
  if (failures.length === 0) return null;
  return (
    <Section title="Failed attempts">
      <ul className="stack tight">
        {failures.map((failure) => (
          <li key={failure.attempt} className="card padded small">
            <p>
              <span className="strong">Attempt {failure.attempt}</span>{' '}
              <span className="soft">
                <code>{failure.kind}</code>
                {failure.route && ` on ${failure.route}`} · <RelativeTime at={failure.at} />
              </span>
            </p>
            <p>{failure.message}</p>
            {failure.detail && <CodeBlock code={failure.detail} what="detail for operators" wrap />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Exchange({ job, request }: Pick<JobDetail, 'job' | 'request'>) {
  const body = request.body as ApiRequest['body']; // a public API request, by the contract
  const samples = codeSamples({ model: job.model, mode: job.mode, body }, location.origin);
  return (
    <Section title="Request and response">
      <Tabs defaultValue="request" keepMounted={false}>
        <Tabs.List mb={8}>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="code">As code</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <CodeBlock
            code={`${request.method} ${request.path}\n\n${JSON.stringify(request.body, null, 2)}`}
            what="request"
            wrap
          />
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <CodeBlock code={JSON.stringify(job, null, 2)} what="response" wrap />
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <CodeTabs samples={samples} />
        </Tabs.Panel>
      </Tabs>
    </Section>
  );
}

function Deliveries({ job, deliveries }: Pick<JobDetail, 'job' | 'deliveries'>) {
  const accountId = useAccountId();
  return (
    <Section title="Webhook">
      {deliveries.length === 0 && (
        <p className="soft small">
          {job.finished_at === null
            ? 'Sent when the job finishes, if a webhook is set.'
            : 'No webhook was set for this job.'}
        </p>
      )}
      {deliveries.map((delivery) => (
        <div key={delivery.delivery_id} className="stack tight">
          <p className="row small">
            <StatusBadge status={delivery.status} />
            <Link href={paths.delivery(accountId, delivery.delivery_id)}>
              <code>{delivery.type}</code>
            </Link>
            <span className="soft ellipsis">{delivery.url}</span>
          </p>
          <AttemptList attempts={delivery.history} />
        </div>
      ))}
    </Section>
  );
}
