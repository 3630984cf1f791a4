import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { read } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { useIsShown } from '../../use-is-shown.ts';
import { linksOf } from '../inputs/input-links.ts';
import { sizeOfInput } from '../inputs/input-previews.ts';
import { isAnswered, once } from '../jobs/idempotency.ts';
import { nearestRatio } from '../models/shapes.ts';
import { useKeptMutation } from './kept-mutation.ts';
import type { Wish } from './plan.ts';

/** How long typing must pause before a quote is requested. */
const quoteAfterMs = 400;

/** Makes images. If the server is down, retries until it answers. */
export function useMake(onMade: (jobIds: string[]) => void) {
  return useKeptMutation(useMakeImages(onMade));
}

/** Sends one create per image. A create makes only one job even if it is sent more than once. */
export function useMakeImages(onMade: (jobIds: string[]) => void) {
  const client = useQueryClient();
  const accountId = useAccountId();
  const isShown = useIsShown();
  const make = async (wish: Wish, key: string, isGivenUp: () => boolean) => {
    const creates = sent.get(key) ?? (await createsOf(client, accountId, wish));
    if (isGivenUp()) throw new Error(t('It was given up.')); // so that once() keeps the key
    sent.set(key, creates);
    const { call, inputs } = creates;
    const answers = await Promise.allSettled(
      inputs.map((input, index) => send(call, input, { idempotencyKey: `${key}-${index}` })),
    );
    const made = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.job_id] : []));
    // Does not open the images after the person has left the page.
    if (made.length > 0 && isShown.current) onMade(made);
    const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    // If a create got no answer, the keys are kept, so that the next click creates nothing twice.
    const unanswered = failures.find((one) => !isAnswered(one));
    if (!unanswered) sent.delete(key);
    if (failures.length > 0) throw unanswered ?? failures[0];
  };
  return (wish: Wish, isGivenUp: () => boolean) => once(wish, (key) => make(wish, key, isGivenUp), accountId);
}

// The requests by key, kept for retries. A retry must repeat its links to inputs exactly, but the server signs new
// links every hour.
const sent = new Map<string, Awaited<ReturnType<typeof createsOf>>>();

/** Sends the first create as a dry run. Returns whether it would be accepted, and if not, why. */
export function useQuote(wish: Wish) {
  const client = useQueryClient();
  const accountId = useAccountId();
  const asked = JSON.stringify({ ...wish, creates: wish.creates.slice(0, 1) });
  const [settled] = useDebouncedValue(asked, quoteAfterMs);
  return useQuery({
    queryKey: ['quote', accountId, settled],
    queryFn: async ({ signal }) => {
      const { call, inputs } = await createsOf(client, accountId, JSON.parse(settled) as Wish);
      const [input] = inputs;
      return input ? send(`${call}?dry_run=true` as const, input, { signal }) : null;
    },
    enabled: wish.mode === 'text' || wish.images.length > 0,
    placeholderData: keepPreviousData,
  }).data;
}

/** The call that makes a wish's images, with the body for each image. */
async function createsOf(client: QueryClient, account_id: string, { mode, images, creates }: Wish) {
  const links = await linksOf(client, account_id, images);
  const models = await client.fetchQuery(read('GET /api/v1/models', { params: { account_id } }));
  const bodies = creates.map(async ({ model, ...body }) => {
    const { aspect_ratios: ratios = [] } = models.data.find(({ id }) => id === model) ?? {};
    const [image, link] = [images[0], links[0]];
    // For a model that does not offer `auto`, the ratio follows the first input.
    const follows = body.aspect_ratio === 'auto' && !ratios.includes('auto') && image && link;
    const size = follows && (await sizeOfInput(client, account_id, image, link));
    return {
      params: { account_id, model },
      body: {
        ...body,
        ...(size && { aspect_ratio: nearestRatio(ratios, size) }),
        ...(mode === 'url' && { input_images_urls: links }),
      },
    };
  });
  return { call: `POST /api/v1/:model/${mode}-generations` as const, inputs: await Promise.all(bodies) };
}
