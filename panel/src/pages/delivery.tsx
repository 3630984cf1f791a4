import type { DeliveryDetail } from '@darkroom/server/panel-contract';

import { useAccountId, useParam } from '../api/account.ts';
import { type ReadCall, useRead, useSend } from '../api/queries.ts';
import { AttemptList } from '../features/webhooks/attempt-list.tsx';
import { isEmail, placeOf } from '../features/webhooks/delivery-table.tsx';
import { paths } from '../paths.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Id, shortId } from '../ui/copy.tsx';
import { Fact, Facts } from '../ui/figures/figures.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await, ProblemAlert } from '../ui/problem-alert.tsx';
import { DetailSkeleton } from '../ui/skeletons.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { RelativeTime } from '../ui/time.tsx';

/** The polling interval, because deliveries have no live updates. */
const pollMs = 2_000;

export function DeliveryPage() {
  const accountId = useAccountId();
  const delivery_id = useParam('delivery_id');
  const go = useGo();
  const params = { account_id: accountId, delivery_id };
  const delivery = useRead('GET /api/v1/deliveries/:delivery_id', { params }, { everyMs: pollMs });
  const outdated: ReadCall[] = ['GET /api/v1/deliveries/:delivery_id', 'GET /api/v1/deliveries'];
  const replay = useSend('POST /api/v1/deliveries/:delivery_id/replay', outdated);
  return (
    <Page
      title={delivery.data ? `${delivery.data.type} to ${placeOf(delivery.data)} · Delivery` : 'Delivery'}
      heading={
        <span className="row">
          Delivery <code style={{ fontSize: 17 }}>{delivery.data?.type}</code>
          {delivery.data && <StatusBadge status={delivery.data.status} />}
        </span>
      }
      actions={
        delivery.data &&
        (delivery.data.status === 'pending' ? (
          <ActionButton
            why={delivery.data.next_attempt_at === null ? 'An attempt is under way.' : undefined}
            loading={replay.isPending}
            onClick={() => replay.mutate({ params })}
          >
            Try now
          </ActionButton>
        ) : isEmail(delivery.data) ? null : (
          <ActionButton
            loading={replay.isPending}
            onClick={() =>
              replay.mutate(
                { params },
                { onSuccess: (again) => go(paths.delivery(accountId, again.delivery_id)) },
              )
            }
          >
            Replay
          </ActionButton>
        ))
      }
    >
      <ProblemAlert error={replay.error} />
      <Await query={delivery} wait={<DetailSkeleton />}>
        {(data) => (
          <div className="columns">
            <div className="stack wide">
              <Section title="Attempts">
                <AttemptList attempts={[...data.history].reverse()} />
              </Section>
              <Section title="Body">
                <CodeBlock code={pretty(data.body)} what="body" wrap />
              </Section>
            </div>
            <DeliveryFacts delivery={data} accountId={accountId} />
          </div>
        )}
      </Await>
    </Page>
  );
}

function DeliveryFacts({ delivery, accountId }: { delivery: DeliveryDetail; accountId: string }) {
  return (
    <aside className="card padded" aria-label="Facts">
      <Facts>
        <Fact name="webhook-id">
          <Id id={delivery.event_id} what="webhook-id" />
        </Fact>
        {delivery.job_id && (
          <Fact name="Job">
            <Link href={paths.job(accountId, delivery.job_id)}>
              <code>{shortId(delivery.job_id)}</code>
            </Link>
          </Fact>
        )}
        <Fact name="Address">
          {delivery.endpoint_id ? (
            <Link href={paths.endpoint(accountId, delivery.endpoint_id)}>
              <code>{delivery.url}</code>
            </Link>
          ) : (
            <code>{delivery.url}</code>
          )}
        </Fact>
        <Fact name="Created">
          <RelativeTime at={delivery.created_at} beside />
        </Fact>
        {delivery.next_attempt_at && (
          <Fact name="Next attempt">
            <RelativeTime at={delivery.next_attempt_at} beside />
          </Fact>
        )}
      </Facts>
    </aside>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
