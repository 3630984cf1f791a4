import type { EndpointDetail } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountId, useParam } from '../api/account.ts';
import { useRead, useSend } from '../api/queries.ts';
import { Attempt } from '../features/webhooks/attempt-list.tsx';
import { Deliveries, refreshMs } from '../features/webhooks/deliveries.tsx';
import { EndpointForm, endpointReads, isBucket } from '../features/webhooks/endpoint-form.tsx';
import { EndpointHealth } from '../features/webhooks/endpoint-health.tsx';
import { EndpointBadge, EndpointNotice, Events } from '../features/webhooks/endpoint-state.tsx';
import { SigningSecret } from '../features/webhooks/signing-secret.tsx';
import { paths } from '../paths.ts';
import { Id } from '../ui/copy.tsx';
import { Confirm } from '../ui/dialog/confirm.tsx';
import { Fact, Facts } from '../ui/figures/figures.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Await, ProblemAlert } from '../ui/problem-alert.tsx';
import { DetailSkeleton } from '../ui/skeletons.tsx';
import { RelativeTime } from '../ui/time.tsx';

export function EndpointPage() {
  const accountId = useAccountId();
  const params = { account_id: accountId, endpoint_id: useParam('endpoint_id') };
  const endpoint = useRead('GET /api/v1/webhooks/:endpoint_id', { params }, { everyMs: refreshMs });
  const writes = useWrites();
  const host = endpoint.data && new URL(endpoint.data.url).host;
  return (
    <Page
      title={host ? `${host} · Endpoint` : 'Endpoint'}
      heading={
        <span className="row">
          {host ?? 'Endpoint'}
          {endpoint.data && <EndpointBadge endpoint={endpoint.data} />}
        </span>
      }
      intro={<Link href={paths.webhooks(accountId)}>All endpoints</Link>}
      actions={endpoint.data && <Actions endpoint={endpoint.data} {...writes} />}
    >
      <div className="stack" aria-live="polite">
        <ProblemAlert error={writes.test.error ?? writes.change.error} />
        {writes.test.data && (
          <div className="card padded small">
            <Attempt attempt={writes.test.data} />
          </div>
        )}
      </div>
      <Await query={endpoint} wait={<DetailSkeleton />}>
        {(data) => <Shown endpoint={data} />}
      </Await>
    </Page>
  );
}

type Writes = ReturnType<typeof useWrites>;

function useWrites() {
  return {
    test: useSend('POST /api/v1/webhooks/:endpoint_id/test'),
    change: useSend('PATCH /api/v1/webhooks/:endpoint_id', endpointReads),
  };
}

function Shown({ endpoint }: { endpoint: EndpointDetail }) {
  return (
    <>
      <EndpointNotice endpoint={endpoint} />
      <div className="columns">
        <div className="stack wide">
          <EndpointHealth endpoint={endpoint} />
          <Deliveries endpoint={endpoint} />
        </div>
        <aside className="card padded" aria-label="Facts">
          <Facts>
            <Fact name="Address">
              <code>{endpoint.url}</code>
            </Fact>
            {isBucket(endpoint.url) ? (
              <Fact name="Copied there">The image of every job that is done</Fact>
            ) : (
              <>
                <Fact name="Events">
                  <Events events={endpoint.events} />
                </Fact>
                <Fact name="Signing secret">
                  <SigningSecret hint={endpoint.secret_hint} endpointId={endpoint.endpoint_id} />
                </Fact>
              </>
            )}
            <Fact name="Address set">
              <RelativeTime at={endpoint.created_at} beside />
            </Fact>
            {endpoint.is_default && (
              <Fact name="Default">
                <span className="soft small">
                  Calls to <code>/webhooks/default</code> mean this one, and its secret also signs for{' '}
                  <code>callback_url</code>.
                </span>
              </Fact>
            )}
            <Fact name="Id">
              <Id id={endpoint.endpoint_id} what="endpoint id" />
            </Fact>
          </Facts>
        </aside>
      </div>
    </>
  );
}

function Actions({ endpoint, test, change }: { endpoint: EndpointDetail } & Writes) {
  const account_id = useAccountId();
  const go = useGo();
  const params = { account_id, endpoint_id: endpoint.endpoint_id };
  const [open, setOpen] = useState<'change' | 'remove'>();
  const remove = useSend('DELETE /api/v1/webhooks/:endpoint_id', ['GET /api/v1/webhooks']);
  return (
    <>
      <Button variant="default" onClick={() => setOpen('remove')}>
        Remove
      </Button>
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ params, body: { enabled: !endpoint.enabled } })}
      >
        {endpoint.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setOpen('change')}>
        Change
      </Button>
      <Button loading={test.isPending} onClick={() => test.mutate({ params, body: {} })}>
        Send a test
      </Button>
      <EndpointForm
        endpoint={endpoint}
        opened={open === 'change'}
        onClose={() => setOpen(undefined)}
        onSaved={() => setOpen(undefined)}
      />
      <Confirm
        title="Remove this endpoint?"
        action="Remove endpoint"
        opened={open === 'remove'}
        error={remove.error}
        pending={remove.isPending}
        onClose={() => setOpen(undefined)}
        onConfirm={() => remove.mutate({ params }, { onSuccess: () => go(paths.webhooks(account_id)) })}
      >
        Nothing more is sent to <code>{endpoint.url}</code>, and deliveries that wait for it are cancelled.
        Other endpoints stay as they are.
      </Confirm>
    </>
  );
}
