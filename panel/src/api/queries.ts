import type { AnswerOf, PanelCallName } from '@darkroom/server/panel-contract';
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ProblemError } from './problem.ts';
import { type InputOf, send } from './send.ts';

export type ReadCall = Extract<PanelCallName, `GET ${string}`>;
export type WriteCall = Exclude<PanelCallName, ReadCall>;
type PagedCall = {
  [Call in ReadCall]: AnswerOf<Call> extends { next_cursor: string | null } ? Call : never;
}[ReadCall];

const staleMs = 5_000;
/** A read that gets no answer is retried twice. An error that the server sent is shown immediately. */
const retries = 2;

export const queries = new QueryClient({
  defaultOptions: {
    // Ignores whether the browser is online: a server on this machine needs no network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: staleMs,
      retry: (failures, error) =>
        error instanceof ProblemError && error.problem.status === 0 && failures < retries,
    },
  },
});

/** A query's key begins with its call, so that invalidating a call invalidates it for every input. */
export function read<Call extends ReadCall>(call: Call, input: InputOf<Call>) {
  return queryOptions({
    queryKey: [call, input] as const,
    queryFn: ({ signal }) => send(call, input, { signal }),
  });
}

export function useRead<Call extends ReadCall>(
  call: Call,
  input: InputOf<Call>,
  options: { everyMs?: number; enabled?: boolean; keep?: boolean } = {},
) {
  return useQuery({
    ...read(call, input),
    enabled: options.enabled ?? true,
    ...(options.everyMs && { refetchInterval: options.everyMs }),
    ...(options.keep && { placeholderData: keepPreviousData }),
  });
}

/** A list that grows page by page. It is never refetched, because that would take one request per page. */
export function readPages<Call extends PagedCall>(call: Call, input: InputOf<Call>, keepMs = 0) {
  return infiniteQueryOptions({
    queryKey: [call, 'pages', input] as const,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(input as { query?: object }).query, cursor: pageParam }; // every paged call has a query
      return send(call, { ...(input as object), query } as InputOf<Call>, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as { next_cursor: string | null }).next_cursor ?? undefined, // see PagedCall
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keepMs,
  });
}

/** Sends a write, then invalidates the reads that it makes stale. */
export function useSend<Call extends WriteCall>(
  call: Call,
  outdated: ReadCall[] = [],
  run: (input: InputOf<Call>) => Promise<AnswerOf<Call>> = (input) => send(call, input),
  /** Mutations with the same scope are sent one after the other. */
  scope?: string,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    ...(scope !== undefined && { scope: { id: scope } }),
    onSuccess: () => Promise.all(outdated.map((read) => client.invalidateQueries({ queryKey: [read] }))),
  });
}
