import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { isPassing, ProblemError } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { useIsShown } from '../../use-is-shown.ts';
import { once } from '../jobs/idempotency.ts';
import { resendMs, useKeptMutation } from '../make/kept-mutation.ts';
import type { BatchRequest } from './batch-requests.ts';

/** How long typing must pause before a quote is requested. */
const quoteAfterMs = 400;

/** Quotes the lines of a list. Mistakes are listed by the line's index. */
export function useBatchQuote(requests: readonly BatchRequest[]) {
  const account_id = useAccountId();
  const asked = JSON.stringify(requests);
  const [settled] = useDebouncedValue(asked, quoteAfterMs);
  const { data, error, failureReason } = useQuery({
    queryKey: ['batch quote', account_id, settled],
    queryFn: ({ signal }) =>
      send(
        'POST /api/v1/batches?dry_run=true',
        { params: { account_id }, body: { requests: JSON.parse(settled) as BatchRequest[] } },
        { signal },
      ),
    enabled: settled === asked && requests.length > 0,
    // Drops a quote as soon as it is unused, because its list may be several megabytes.
    gcTime: 0,
    retry: (_, error) => isPassing(error),
    retryDelay: (_, error) =>
      error instanceof ProblemError && error.retryAfterSeconds !== null
        ? error.retryAfterSeconds * 1_000
        : resendMs,
  });
  if (settled !== asked) return { quote: undefined, error: null, passing: null, mistakes: mistakesIn(null) };
  return { quote: data, error, passing: data || error ? null : failureReason, mistakes: mistakesIn(error) };
}

/** `/requests/3/body/aspect_ratio` */
const place = /^\/requests\/(\d+)(?:\/.*?)?([^/]*)$/;

function mistakesIn(error: unknown): Map<number, string> {
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  const found = errors.flatMap(({ pointer, detail }): [number, string][] => {
    const [, index, field = ''] = place.exec(pointer) ?? [];
    return index === undefined ? [] : [[Number(index), `${sentenceOf(field)} ${detail}`.trim()]];
  });
  return new Map(
    [...Map.groupBy(found, ([index]) => index)].map(([index, all]) => [
      index,
      all.map(([, text]) => text).join(' '),
    ]),
  );
}

function sentenceOf(field: string): string {
  return field.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
}

export interface Batch {
  name: string;
  requests: BatchRequest[];
}

/** Creates a batch exactly once, even if the server is down for a while. */
export function useMakeBatch(onMade: (batchId: string, isShown: boolean) => void) {
  const account_id = useAccountId();
  const isShown = useIsShown();
  return useKeptMutation(async (batch: Batch) => {
    const { batch_id } = await once(
      batch,
      (idempotencyKey) =>
        send(
          'POST /api/v1/batches',
          { params: { account_id }, body: { name: batch.name || null, requests: batch.requests } },
          { idempotencyKey },
        ),
      account_id,
    );
    onMade(batch_id, isShown.current);
  });
}
