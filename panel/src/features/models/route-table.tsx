import type { RouteReport } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { duration, RelativeTime } from '../../ui/time.tsx';
import classes from './route-table.module.css';

export function RouteTable({ model, routes }: { model: string; routes: RouteReport[] }) {
  if (routes.length === 0) return <p className="soft small">No route: jobs of this model wait.</p>;
  return (
    <DataTable
      caption={`Routes of ${model}`}
      rows={routes}
      rowKey={(route) => route.route}
      columns={[route, ...limits, ...results, circuit, check]}
    />
  );
}

type RouteColumn = Column<RouteReport>;

const route: RouteColumn = {
  name: t('Route'),
  cell: (row) => (
    <>
      <code>{row.route}</code>
      {row.upstream_model && <div className="soft tiny">{row.upstream_model}</div>}
      {row.upstream_end && <div className="tiny">{row.upstream_end.notice}</div>}
    </>
  ),
};

const limits: RouteColumn[] = [
  {
    name: t('Slots'),
    align: 'end',
    cell: ({ running, slots, per_minute: pace, weight }) => (
      <>
        {running} of {slots}
        {pace !== null && <div className="soft tiny">{pace} a minute</div>}
        {weight !== null && <div className="soft tiny">weight {weight}</div>}
      </>
    ),
  },
  {
    name: t('Time-out'),
    align: 'end',
    wideOnly: true,
    cell: (row) => duration(row.timeout_seconds * 1000),
  },
];

const results: RouteColumn[] = [
  {
    name: t('Jobs in 24 hours'),
    align: 'end',
    wideOnly: true,
    cell: ({ done, failed, failures }) => (
      <>
        {done} done, {failed} failed
        <div className="soft tiny">
          {t('{failures, plural, one {# attempt} other {# attempts}} failed', { failures })}
        </div>
      </>
    ),
  },
  {
    name: t('Duration'),
    align: 'end',
    wideOnly: true,
    cell: ({ p50_seconds: p50, p95_seconds: p95 }) =>
      p50 === null || p95 === null ? (
        <span className="soft">–</span>
      ) : (
        <>
          {duration(p50 * 1000)}
          <div className="soft tiny">p95 {duration(p95 * 1000)}</div>
        </>
      ),
  },
  {
    name: t('Cost of an image'),
    align: 'end',
    wideOnly: true,
    cell: ({ cost_per_image: mean, cost_estimate: estimate, cost_with_failures: real }) => (
      <>
        {mean ?? <span className="soft">–</span>}
        {real !== null && <div className="soft tiny">{real} with failures, 7 days</div>}
        {estimate !== null && <div className="soft tiny">entered {amountsIn(estimate)}</div>}
      </>
    ),
  },
];

const circuit: RouteColumn = { name: t('Circuit'), cell: (row) => <Circuit route={row} /> };
const check: RouteColumn = { name: t('Check'), align: 'end', cell: (row) => <Check route={row} /> };

function amountsIn(estimate: NonNullable<RouteReport['cost_estimate']>): string {
  return Object.entries(estimate)
    .map(([resolution, amount]) => (resolution === 'any' ? amount : `${resolution} ${amount}`))
    .join(', ');
}

function Circuit({ route }: { route: RouteReport }) {
  const { state, until, reason, detail } = route;
  const attempt = useSend('POST /admin/v1/routes/:route/try', [
    'GET /panel/operator/models',
    'GET /panel/operator/models/:model_id',
  ]);
  return (
    <div title={detail ?? undefined}>
      <StatusBadge status={state} />
      {reason && <div className="soft tiny">{reason.replaceAll('_', ' ')}</div>}
      {until && (
        <div className="soft tiny">
          until <RelativeTime at={until} />
        </div>
      )}
      {until && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Try ${route.route} now`}
          title="The next job tests whether it works again"
          loading={attempt.isPending}
          onClick={() => attempt.mutate({ params: { route: route.route } })}
        >
          Try now
        </Button>
      )}
      <ProblemAlert error={attempt.error} />
    </div>
  );
}

function Check({ route }: { route: RouteReport }) {
  const check = useSend('POST /admin/v1/routes/:route/check');
  return (
    <div className={classes.check} aria-live="polite">
      {check.data && (
        <span title={check.data.detail}>
          <StatusBadge status={check.data.ok ? 'ok' : 'broken'} />
          {check.data.ms !== undefined && <span className="soft tiny"> {duration(check.data.ms)}</span>}
          {check.data.detail && <div className="tiny">{check.data.detail}</div>}
        </span>
      )}
      <ProblemAlert error={check.error} />
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Check ${route.route}`}
        loading={check.isPending}
        onClick={() => check.mutate({ params: { route: route.route } })}
      >
        Check
      </Button>
    </div>
  );
}
