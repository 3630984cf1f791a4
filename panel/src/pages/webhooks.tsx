import type { DeliveryRow, DeliveryStatus, WebhookDetail } from '@darkroom/server/panel-contract';
import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../api/account.ts';
import { readPages, useRead, useSend } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { Attempt } from '../features/webhooks/attempt-list.tsx';
import { receiver } from '../features/webhooks/receiver-sample.ts';
import { ReplayFailed } from '../features/webhooks/replay-failed.tsx';
import { SigningSecret } from '../features/webhooks/signing-secret.tsx';
import { WebhookUrl } from '../features/webhooks/webhook-url.tsx';
import { paths } from '../paths.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { shortId } from '../ui/copy.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Fact, Facts } from '../ui/figures/figures.tsx';
import { Link } from '../ui/link.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await, ProblemAlert } from '../ui/problem-alert.tsx';
import { CardsSkeleton, TableSkeleton } from '../ui/skeletons.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import { LoadMore } from '../ui/table/load-more.tsx';
import { RelativeTime } from '../ui/time.tsx';

export function WebhooksPage() {
  const params = { account_id: useAccountId() };
  const webhook = useRead('GET /panel/accounts/:account_id/webhook', { params }, { everyMs: refreshMs });
  return (
    <Page
      title="Webhooks"
      intro="Events are sent here when jobs finish, so your programs need not poll. A request with its own callback_url is sent there instead."
    >
      <Await query={webhook} wait={<CardsSkeleton count={2} height={180} />}>
        {(data) => (
          <div className="stack wide">
            {data.disabled_at && (
              <Notice tone="bad" title="Deliveries have stopped">
                <p>
                  {data.disabled_reason === 'gone'
                    ? 'The endpoint answered 410: it accepts no more events.'
                    : 'The endpoint failed for too long.'}{' '}
                  Since <RelativeTime at={data.disabled_at} beside />. Save the address again to resume.
                </p>
              </Notice>
            )}
            {data.failing_since && !data.disabled_at && (
              <Notice tone="warn" title="The endpoint is failing">
                <p>
                  Every attempt has failed since <RelativeTime at={data.failing_since} beside />. Failed
                  deliveries are retried.
                </p>
              </Notice>
            )}
            <Endpoint webhook={data} />
            <Deliveries url={data.url} />
          </div>
        )}
      </Await>
    </Page>
  );
}

/** There are no live updates for deliveries. */
const refreshMs = 5_000;

function Endpoint({ webhook }: { webhook: WebhookDetail }) {
  const params = { account_id: useAccountId() };
  const [editing, setEditing] = useState(false);
  const test = useSend('POST /panel/accounts/:account_id/webhook/test', [
    'GET /panel/accounts/:account_id/deliveries',
    'GET /panel/accounts/:account_id/webhook',
  ]);
  if (webhook.url === null) {
    return (
      <EmptyState
        title="No endpoint yet"
        action={<Button onClick={() => setEditing(true)}>Set an endpoint</Button>}
      >
        <p>
          Give the URL of your program. Each event is a signed <code>POST</code>; answer with any{' '}
          <code>2xx</code> within seconds. Failed deliveries are retried, and every attempt is listed here, to
          inspect and to replay. A complete receiver:
        </p>
        <CodeBlock code={receiver} what="receiver" />
        <WebhookUrl url={null} opened={editing} onClose={() => setEditing(false)} />
      </EmptyState>
    );
  }
  const { health } = webhook;
  return (
    <Section
      title="Endpoint"
      actions={
        <>
          <Button variant="default" onClick={() => setEditing(true)}>
            Change
          </Button>
          <ActionButton
            variant="default"
            why={webhook.disabled_at ? 'Deliveries have stopped. Save the address again first.' : undefined}
            loading={test.isPending}
            onClick={() => test.mutate({ params })}
          >
            Send a test
          </ActionButton>
        </>
      }
    >
      <div className="card padded">
        <Facts>
          <Fact name="Address">
            <code>{webhook.url}</code>
          </Fact>
          <Fact name="Last 7 days">
            <span className="number">
              {health.delivered} delivered, {health.failed} failed, {health.pending} pending
            </span>
          </Fact>
          <Fact name="Signing secret">
            <SigningSecret hint={webhook.secret_hint} />
          </Fact>
          {webhook.created_at && (
            <Fact name="Set on">
              <RelativeTime at={webhook.created_at} beside />
            </Fact>
          )}
        </Facts>
      </div>
      <ProblemAlert error={test.error} />
      <div aria-live="polite">
        {test.data && (
          <div className="card padded small">
            <Attempt attempt={test.data} />
          </div>
        )}
      </div>
      <WebhookUrl url={webhook.url} opened={editing} onClose={() => setEditing(false)} />
    </Section>
  );
}

const statuses: DeliveryStatus[] = ['pending', 'delivered', 'failed', 'cancelled'];

function Deliveries({ url }: { url: string | null }) {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const [replaying, setReplaying] = useState(false);
  const status = statuses.find((one) => one === search.status);
  const deliveries = useInfiniteQuery({
    ...readPages('GET /panel/accounts/:account_id/deliveries', {
      params: { account_id: accountId },
      query: status ? { status } : {},
    }),
    refetchInterval: refreshMs,
  });
  const rows = deliveries.data?.pages.flatMap((page) => page.data);
  const retry = useSend('POST /panel/accounts/:account_id/deliveries/retry', [
    'GET /panel/accounts/:account_id/deliveries',
  ]);
  if (rows?.length === 0 && !status && url === null) return null;
  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <NativeSelect
            size="xs"
            aria-label="Status of deliveries"
            value={status ?? ''}
            onChange={(event) => change({ status: event.currentTarget.value })}
            data={[
              { value: '', label: 'Every status' },
              { value: 'pending', label: 'Pending' },
              { value: 'delivered', label: 'Delivered' },
              { value: 'failed', label: 'Failed' },
              { value: 'cancelled', label: 'Cancelled' },
            ]}
          />
          {rows?.some((delivery) => delivery.next_attempt_at !== null && delivery.attempts > 0) && (
            <Button
              size="xs"
              variant="default"
              loading={retry.isPending}
              onClick={() => retry.mutate({ params: { account_id: accountId }, body: { delivery_id: null } })}
            >
              Try waiting ones now
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setReplaying(true)}>
            Replay failed…
          </Button>
        </>
      }
    >
      <Await query={{ ...deliveries, data: rows }} wait={<TableSkeleton rows={6} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={status ? 'No delivery has this status' : 'No deliveries yet'}>
              {status
                ? 'Choose another status above.'
                : 'The next finished job is sent to your endpoint and listed here with its response. Send a test to see one now.'}
            </EmptyState>
          ) : (
            <>
              <DeliveryTable deliveries={list} accountId={accountId} />
              <LoadMore query={deliveries} />
            </>
          )
        }
      </Await>
      <ProblemAlert error={retry.error} />
      <ReplayFailed opened={replaying} onClose={() => setReplaying(false)} />
    </Section>
  );
}

function DeliveryTable({ deliveries, accountId }: { deliveries: DeliveryRow[]; accountId: string }) {
  return (
    <DataTable
      caption="Webhook deliveries, newest first"
      rows={deliveries}
      rowKey={(delivery) => delivery.delivery_id}
      columns={[
        {
          name: 'Event',
          cell: (delivery) => (
            <Link href={paths.delivery(accountId, delivery.delivery_id)} className="row-link">
              <code>{delivery.type}</code>
            </Link>
          ),
        },
        { name: 'Status', cell: (delivery) => <StatusBadge status={delivery.status} /> },
        { name: 'Answer', cell: (delivery) => <Answer delivery={delivery} /> },
        {
          name: 'Job',
          wideOnly: true,
          cell: (delivery) => (
            <Link href={paths.job(accountId, delivery.job_id)}>
              <code>{shortId(delivery.job_id)}</code>
            </Link>
          ),
        },
        { name: 'Attempts', align: 'end', wideOnly: true, cell: (delivery) => delivery.attempts },
        {
          name: 'Created',
          align: 'end',
          wideOnly: true,
          cell: (delivery) => <RelativeTime at={delivery.created_at} />,
        },
      ]}
    />
  );
}

function Answer({ delivery }: { delivery: DeliveryRow }) {
  return (
    <span>
      {delivery.last_status_code !== null && <code>{delivery.last_status_code}</code>}{' '}
      {delivery.last_failure && <span className="soft">{delivery.last_failure.replaceAll('_', ' ')}</span>}
      {delivery.next_attempt_at && (
        <span className="soft tiny">
          {' · next '}
          <RelativeTime at={delivery.next_attempt_at} />
        </span>
      )}
    </span>
  );
}
