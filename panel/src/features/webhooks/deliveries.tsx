import type { DeliveryStatus, EndpointRow } from '@darkroom/server/panel-contract';
import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { readPages, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { ReplayFailed } from './replay-failed.tsx';

/** The polling interval, because deliveries have no live updates. */
export const refreshMs = 5_000;

const statuses: DeliveryStatus[] = ['pending', 'delivered', 'failed', 'cancelled'];

export function Deliveries({ endpoint }: { endpoint?: EndpointRow }) {
  const accountId = useAccountId();
  const params = { account_id: accountId };
  const [search, change] = useSearchState();
  const [replaying, setReplaying] = useState(false);
  const status = statuses.find((one) => one === search.status);
  const endpoint_id = endpoint?.endpoint_id ?? null;
  const named = endpoint_id === null ? {} : { endpoint_id };
  const query = { limit: '50', ...(status && { status }), ...named };
  const deliveries = useInfiniteQuery({
    ...readPages('GET /api/v1/deliveries', { params, query }),
    refetchInterval: refreshMs,
  });
  const rows = deliveries.data?.pages.flatMap((page) => page.data);
  const retry = useSend('POST /api/v1/deliveries/replay', ['GET /api/v1/deliveries']);
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
              { value: '', label: t('Every status') },
              { value: 'pending', label: t('Pending') },
              { value: 'delivered', label: t('Delivered') },
              { value: 'failed', label: t('Failed') },
              { value: 'cancelled', label: t('Cancelled') },
            ]}
          />
          {rows?.some((delivery) => delivery.next_attempt_at !== null && delivery.attempts > 0) && (
            <Button
              size="xs"
              variant="default"
              loading={retry.isPending}
              onClick={() => retry.mutate({ params, body: { ...named, pending: true } })}
            >
              Retry pending now
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
                : 'The next finished job is sent and listed here with its response. Send a test to see one now.'}
            </EmptyState>
          ) : (
            <>
              <DeliveryTable deliveries={list} accountId={accountId} withHost={!endpoint} />
              <LoadMore query={deliveries} />
            </>
          )
        }
      </Await>
      <ProblemAlert error={retry.error} />
      <ReplayFailed endpointId={endpoint_id} opened={replaying} onClose={() => setReplaying(false)} />
    </Section>
  );
}
