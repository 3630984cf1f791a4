import type { DeliveryRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { announce } from '../../ui/announce.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { failureText } from './failure-text.ts';

export function DeliveryTable(props: { deliveries: DeliveryRow[]; accountId: string; withHost: boolean }) {
  const { accountId } = props;
  return (
    <DataTable
      caption="Webhook deliveries, newest first"
      rows={props.deliveries}
      rowKey={(delivery) => delivery.delivery_id}
      columns={[
        {
          name: t('Event'),
          cell: (delivery) => (
            <Link href={paths.delivery(accountId, delivery.delivery_id)} className="row-link">
              <code>{delivery.type}</code>
            </Link>
          ),
        },
        {
          name: t('Status'),
          cell: (delivery) => <StatusBadge status={isFailing(delivery) ? 'failing' : delivery.status} />,
        },
        { name: t('Answer'), wideOnly: true, cell: (delivery) => <Answer delivery={delivery} /> },
        ...(props.withHost
          ? [
              {
                name: t('To'),
                wideOnly: true,
                cell: (delivery: DeliveryRow) => <span className="soft">{placeOf(delivery)}</span>,
              },
            ]
          : []),
        {
          name: t('Job'),
          wideOnly: true,
          cell: ({ job_id }) =>
            job_id && (
              <Link href={paths.job(accountId, job_id)} className="nowrap">
                <code>{shortId(job_id)}</code>
              </Link>
            ),
        },
        {
          name: t('Created'),
          align: 'end',
          wideOnly: true,
          cell: (delivery) => <RelativeTime at={delivery.created_at} />,
        },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (delivery) =>
            (isFailing(delivery) || (delivery.status !== 'pending' && !isEmail(delivery))) && (
              <Replay delivery={delivery} accountId={accountId} />
            ),
        },
      ]}
    />
  );
}

function Answer({ delivery }: { delivery: DeliveryRow }) {
  return (
    <div>
      {delivery.last_status_code !== null && <code>{delivery.last_status_code}</code>}{' '}
      {delivery.last_failure && <span className="soft">{failureText(delivery.last_failure)}</span>}
      {delivery.next_attempt_at && (
        <span className="soft tiny">
          {' · next '}
          <RelativeTime at={delivery.next_attempt_at} />
        </span>
      )}
      {delivery.attempts > 1 && <div className="soft tiny nowrap">{delivery.attempts} attempts</div>}
    </div>
  );
}

function Replay({ delivery, accountId }: { delivery: DeliveryRow; accountId: string }) {
  const replay = useSend('POST /api/v1/deliveries/:delivery_id/replay', ['GET /api/v1/deliveries']);
  const params = { account_id: accountId, delivery_id: String(delivery.delivery_id) };
  const word = isFailing(delivery) ? t('Retry now') : t('Replay');
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${word} ${delivery.type} of ${shortId(delivery.job_id ?? delivery.event_id)}`}
        loading={replay.isPending}
        onClick={() => replay.mutate({ params }, { onSuccess: () => announce(t('The event is sent again')) })}
      >
        {word}
      </Button>
      <ProblemAlert error={replay.error} />
    </>
  );
}

export function isFailing({ status, attempts, next_attempt_at }: DeliveryRow): boolean {
  return status === 'pending' && attempts > 0 && next_attempt_at !== null;
}

/** An email cannot be sent again. */
export function isEmail({ url }: Pick<DeliveryRow, 'url'>): boolean {
  return url.startsWith('mailto:');
}

/** Does not use `URL`, which would percent-encode the `…` that replaces a secret. */
export function pathOf({ url }: { url: string }): string {
  return /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';
}

/** The host of a webhook, or the email address. */
export function placeOf({ url }: Pick<DeliveryRow, 'url'>): string {
  const { host, pathname } = new URL(url);
  return host || decodeURIComponent(pathname);
}
