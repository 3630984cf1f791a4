import type { EndpointRow } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useAccountId } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { Deliveries, refreshMs } from '../features/webhooks/deliveries.tsx';
import { pathOf } from '../features/webhooks/delivery-table.tsx';
import { EndpointForm } from '../features/webhooks/endpoint-form.tsx';
import { EndpointBadge, Events } from '../features/webhooks/endpoint-state.tsx';
import { receiver } from '../features/webhooks/receiver-sample.ts';
import { SigningSecret } from '../features/webhooks/signing-secret.tsx';
import { number } from '../languages/format.ts';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { CardsSkeleton } from '../ui/skeletons.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import { RelativeTime } from '../ui/time.tsx';

export function WebhooksPage() {
  const accountId = useAccountId();
  const go = useGo();
  const [adding, setAdding] = useState(false);
  const endpoints = useRead(
    'GET /api/v1/webhooks',
    { params: { account_id: accountId } },
    { everyMs: refreshMs },
  );
  const { data, max_endpoints: most } = endpoints.data ?? { data: [], max_endpoints: 1 };
  const add = (
    <ActionButton
      why={data.length >= most ? `An account has at most ${most} endpoints. Remove one first.` : undefined}
      onClick={() => setAdding(true)}
    >
      Add endpoint
    </ActionButton>
  );
  return (
    <Page
      title="Webhooks"
      intro="Events are sent to your endpoints when jobs finish, so your programs need not poll. A request with its own callback_url is sent there instead. An endpoint may be an S3 bucket, to which results are copied."
      actions={data.length > 0 && add}
    >
      <Await query={endpoints} wait={<CardsSkeleton count={2} height={180} />}>
        {(loaded) =>
          loaded.data.length === 0 ? (
            <EmptyState title="No endpoints yet" action={add}>
              <p>
                Give the URL of your program. Each event is a signed <code>POST</code>; answer with any{' '}
                <code>2xx</code> within seconds. Failed deliveries are retried, and every attempt is listed
                here, to inspect and to replay. A complete receiver:
              </p>
              <CodeBlock code={receiver} what="receiver" />
            </EmptyState>
          ) : (
            <EndpointTable endpoints={loaded.data} accountId={accountId} />
          )
        }
      </Await>
      {endpoints.data && <Rest hint={data.find((one) => one.is_default)?.secret_hint} />}
      <EndpointForm
        endpoint={null}
        opened={adding}
        onClose={() => setAdding(false)}
        onSaved={({ endpoint_id }) => go(paths.endpoint(accountId, endpoint_id))}
      />
    </Page>
  );
}

function EndpointTable({ endpoints, accountId }: { endpoints: EndpointRow[]; accountId: string }) {
  return (
    <DataTable
      caption="Endpoints"
      rows={endpoints}
      rowKey={({ endpoint_id }) => endpoint_id}
      columns={[
        {
          name: t('Endpoint'),
          cell: (endpoint) => (
            <>
              <Link href={paths.endpoint(accountId, endpoint.endpoint_id)} className="row-link strong">
                {new URL(endpoint.url).host}
              </Link>
              <div className="soft tiny">
                {pathOf(endpoint)}
                {endpoint.is_default && endpoints.length > 1 && ' · default'}
              </div>
            </>
          ),
        },
        { name: t('Status'), cell: (endpoint) => <EndpointBadge endpoint={endpoint} /> },
        { name: t('Events'), wideOnly: true, cell: (endpoint) => <Events events={endpoint.events} /> },
        {
          name: t('Last 7 days'),
          align: 'end',
          cell: ({ health }) => (
            <>
              {number(health.delivered)} delivered
              <div className="soft tiny">
                <span className="nowrap">{health.failed} failed,</span>{' '}
                <span className="nowrap">{health.pending} pending</span>
              </div>
            </>
          ),
        },
        {
          name: t('Address set'),
          align: 'end',
          wideOnly: true,
          cell: (endpoint) => <RelativeTime at={endpoint.created_at} />,
        },
      ]}
    />
  );
}

function Rest({ hint = 'whsec_…' }: { hint: string | undefined }) {
  return (
    <>
      <Section title="Requests with a callback_url" hint="Signed with the secret of the account">
        <div className="card padded">
          <SigningSecret hint={hint} endpointId="default" />
        </div>
      </Section>
      <Deliveries />
    </>
  );
}
