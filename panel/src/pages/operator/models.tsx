import type {
  OperatorModel,
  OperatorModels,
  PauseDetail,
  PauseScope,
  RouteReport,
} from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { PauseForm } from '../../features/operator/pause-form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration, RelativeTime, utc } from '../../ui/time.tsx';
import classes from './models.module.css';

/** Queues and running jobs change often. */
const refreshMs = 5_000;

export function ModelsPage() {
  const models = useRead('GET /panel/operator/models', {}, { everyMs: refreshMs });
  return (
    <Page
      title="Models"
      intro="Prices, queues and routes. A pause refuses new jobs with 503; queued jobs wait, running ones finish."
      actions={
        models.data && <PauseButton scope="project" name="everything" pause={models.data.project_pause} />
      }
    >
      <Await query={models} wait={<Skeleton height={420} />}>
        {(data) => <All data={data} />}
      </Await>
    </Page>
  );
}

function All({ data }: { data: OperatorModels }) {
  return (
    <div className="stack wide">
      {data.project_pause && (
        <Notice tone="warn" title="Every model is paused">
          <PauseWords pause={data.project_pause} />
        </Notice>
      )}
      {data.models.map((model) => (
        <Model key={model.model} model={model} />
      ))}
    </div>
  );
}

function Model({ model }: { model: OperatorModel }) {
  const { currency } = useSession();
  const { queue } = model;
  return (
    <section className={classes.model}>
      <div className={classes.head}>
        <h2>{model.name}</h2>
        <code className="soft">{model.model}</code>
        <StatusBadge status={model.pause ? 'paused' : 'accepting'} />
        <div className="end">
          <PauseButton scope={model.model} name={model.name} pause={model.pause} />
        </div>
      </div>
      {model.pause && (
        <Notice tone="warn" title={`${model.name} is paused`}>
          <PauseWords pause={model.pause} />
        </Notice>
      )}
      <dl className={classes.facts}>
        <div>
          <dt>Price</dt>
          <dd className="number">
            {model.prices.map(({ resolution, price }) => (
              <span key={resolution}>
                {resolution} <b>{price}</b>
              </span>
            ))}
            <span className="soft tiny">{currency}</span>
          </dd>
        </div>
        <div>
          <dt>Queue</dt>
          <dd className="number">
            <span>
              <b>{queue.queued}</b> queued
            </span>
            <span>
              <b>{queue.processing}</b> processing
            </span>
            {queue.oldest_queued_at && (
              <span className="soft">
                oldest <RelativeTime at={queue.oldest_queued_at} />
              </span>
            )}
          </dd>
        </div>
      </dl>
      <Routes routes={model.routes} />
    </section>
  );
}

function Routes({ routes }: { routes: RouteReport[] }) {
  if (routes.length === 0) return <p className="soft small">No route: jobs of this model wait.</p>;
  return (
    <DataTable
      caption="Routes"
      rows={routes}
      rowKey={(route) => route.route}
      columns={[
        {
          name: 'Route',
          cell: (route) => (
            <>
              <code>{route.route}</code>
              {route.upstream_model && <div className="soft tiny">{route.upstream_model}</div>}
            </>
          ),
        },
        { name: 'Slots', align: 'end', cell: (route) => `${route.running} of ${route.slots}` },
        {
          name: 'Time-out',
          align: 'end',
          wideOnly: true,
          cell: (route) => duration(route.timeout_seconds * 1000),
        },
        {
          name: 'Jobs in 24 hours',
          align: 'end',
          wideOnly: true,
          cell: (route) => `${route.done} done, ${route.failed} failed`,
        },
        { name: 'Circuit', cell: (route) => <Circuit route={route} /> },
        { name: 'Check', align: 'end', cell: (route) => <Check route={route} /> },
      ]}
    />
  );
}

/** Whether jobs go to the route now, and if not, why and until when. */
function Circuit({ route: { state, until, reason, detail } }: { route: RouteReport }) {
  return (
    <span title={detail ?? undefined}>
      <StatusBadge status={state} />
      {reason && <div className="soft tiny">{reason.replaceAll('_', ' ')}</div>}
      {until && (
        <div className="soft tiny">
          until <RelativeTime at={until} />
        </div>
      )}
    </span>
  );
}

function Check({ route }: { route: RouteReport }) {
  const check = useSend('POST /panel/operator/routes/:route_id/check');
  return (
    <div className={classes.check} aria-live="polite">
      {check.data && (
        <span title={check.data.detail ?? undefined}>
          <StatusBadge status={check.data.ok ? 'ok' : 'broken'} />
          <span className="soft tiny"> {duration(check.data.ms)}</span>
          {check.data.detail && <div className="tiny">{check.data.detail}</div>}
        </span>
      )}
      <ProblemAlert error={check.error} />
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Check ${route.route}`}
        loading={check.isPending}
        onClick={() => check.mutate({ params: { route_id: route.route } })}
      >
        Check
      </Button>
    </div>
  );
}

function PauseButton({ scope, name, pause }: { scope: PauseScope; name: string; pause: PauseDetail | null }) {
  const [open, setOpen] = useState(false);
  const resume = useSend('POST /panel/operator/pauses/:scope/resume', ['GET /panel/operator/models']);
  return (
    <>
      <ProblemAlert error={resume.error} />
      {pause ? (
        <Button loading={resume.isPending} onClick={() => resume.mutate({ params: { scope } })}>
          Resume {name}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setOpen(true)}>
          Pause {name}
        </Button>
      )}
      <PauseForm scope={scope} name={name} opened={open} onClose={() => setOpen(false)} />
    </>
  );
}

function PauseWords({ pause }: { pause: PauseDetail }) {
  return (
    <p>
      {pause.reason ?? 'No reason given'} · since <RelativeTime at={pause.since} /> ·{' '}
      {pause.until ? `until ${utc(pause.until)}` : 'until it is resumed'}
    </p>
  );
}
