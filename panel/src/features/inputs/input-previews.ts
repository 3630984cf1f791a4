import { type QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { problemOf } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import type { InputImage } from './input-images.tsx';

/** How long a preview is kept: the target of a URL hardly changes while a person works with it. */
const keepMs = 30 * 60_000;

function previewOf(accountId: string, url: string) {
  return {
    queryKey: ['input preview', accountId, url],
    queryFn: () =>
      send('POST /panel/accounts/:account_id/input-preview', {
        params: { account_id: accountId },
        body: { url },
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keepMs,
    retry: false,
  };
}

/** Previews an image on another server, which our server fetches so that this browser need not. */
export function useInputPreview(url: string, enabled: boolean) {
  return useQuery({ ...previewOf(useAccountId(), url), enabled });
}

/** Reads an image's size here, from the link to ours or the preview of another's, which has the same shape. */
export async function sizeOfInput(
  client: QueryClient,
  accountId: string,
  input: InputImage,
  link: string,
): Promise<{ width: number; height: number }> {
  const isOurs = !('url' in input) || input.name !== undefined;
  const source = isOurs ? link : (await client.fetchQuery(previewOf(accountId, input.url))).image;
  const image = Object.assign(new Image(), { src: source });
  await image.decode();
  return { width: image.naturalWidth, height: image.naturalHeight };
}

/** The indexes of inputs of which it is already known that a create would refuse them. */
export function useRefused(inputs: readonly InputImage[], max: number): number[] {
  const accountId = useAccountId();
  const previews = useQueries({
    queries: inputs.map((input) => ({
      ...previewOf(accountId, 'url' in input ? input.url : ''),
      enabled: false, // the input's tile requests it
    })),
  });
  return previews.flatMap(({ error }, index) => (isRefusal(error) || index >= max ? [index] : []));
}

/** Whether the image itself is unusable, not merely unreachable now. */
export function isRefusal(error: unknown): boolean {
  return error !== null && problemOf(error).code === 'inputs_unusable';
}
