import { AppError } from '../../errors.ts';
import type { CreateDeps } from './create-job.ts';
import type { CreateRequest } from './create-request.ts';
import type { TakenInputs } from './take-inputs.ts';

/** The maximum number of inputs in a batch. While the client waits, each is copied, which takes some milliseconds. */
export const maxImages = 1_000;

/** The maximum number of concurrent fetches for a batch, which leaves capacity for other creates. */
const atOnce = 4;

export interface TakenOfBatch {
  /** The inputs by the index of their request, for requests that have inputs. */
  byRequest: Map<number, Pick<TakenInputs, 'first'> & TakenInputs['jobs'][number]>;
  fetchedBytes: number;
  discard(): Promise<void>;
}

/** Fetches inputs. Requests with the same inputs share a fetch and get their own copies. */
export async function takeBatchInputs(
  { takeInputs }: Pick<CreateDeps, 'takeInputs'>,
  wanted: {
    accountId: string;
    requests: readonly Pick<CreateRequest, 'inputUrls' | 'mask'>[];
    jobIds: readonly string[];
    signal: AbortSignal;
  },
): Promise<TakenOfBatch> {
  const { accountId, requests, jobIds, signal } = wanted;
  let isOver = false;
  const taken: TakenInputs[] = [];
  const byRequest: TakenOfBatch['byRequest'] = new Map();
  const groups = Map.groupBy(requests.keys(), (index) => sourcesOf(requests[index]));
  groups.delete('');
  const left = groups.values();
  const takeNext = async () => {
    for (const places of left) {
      if (isOver) return;
      const [place = 0] = places;
      const { inputUrls: urls = [], mask = null } = requests[place] ?? {};
      const ids = places.map((index) => jobIds[index] ?? '');
      const inputs = await takeInputs({ jobIds: ids, accountId, urls, mask, signal }).catch(
        (error: unknown) => {
          throw placed(error, place);
        },
      );
      taken.push(inputs);
      for (const [at, index] of places.entries()) {
        const job = inputs.jobs[at];
        if (job) byRequest.set(index, { ...job, first: inputs.first });
      }
    }
  };
  const discard = async () => {
    await Promise.all(taken.map((one) => one.discard()));
  };
  const ends = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      // A failure lets the fetches under way finish, so that all stored inputs are known and discarded.
      takeNext().catch((error: unknown) => {
        isOver = true;
        throw error;
      }),
    ),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) {
    await discard();
    throw failed.reason;
  }
  return { byRequest, fetchedBytes: taken.reduce((sum, one) => sum + one.fetchedBytes, 0), discard };
}

function sourcesOf({ inputUrls, mask }: Partial<Pick<CreateRequest, 'inputUrls' | 'mask'>> = {}): string {
  return [...(inputUrls ?? []), ...(mask ? [`${mask.changed} ${mask.url}`] : [])].join('\n');
}

function placed(error: unknown, place: number): unknown {
  if (!(error instanceof AppError) || !error.details.errors) return error;
  const errors = error.details.errors.map((one) => ({
    ...one,
    pointer: `/requests/${place}/body${one.pointer}`,
  }));
  return new AppError(error.code, `${error.message} Nothing was accepted.`, { errors }, { cause: error });
}
