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

/** Previews another server's URL, which our server fetches so that this browser need not. */
export function useInputPreview(url: string, enabled: boolean) {
  return useQuery({ ...previewOf(useAccountId(), url), enabled });
}

/** Reads the size in this browser: of our own images by their link, of others by the preview, which has their shape. */
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

/** The indexes of inputs that a create would refuse, as far as this is known in advance. */
export function useRefused(inputs: readonly InputImage[], max: number): number[] {
  const accountId = useAccountId();
  const previews = useQueries({
    queries: inputs.map((input) => ({
      ...previewOf(accountId, 'url' in input ? input.url : ''),
      enabled: false, // its tile asks
    })),
  });
  return previews.flatMap(({ error }, index) => (isRefusal(error) || index >= max ? [index] : []));
}

/** Whether the image is at fault, and not the way to it. */
export function isRefusal(error: unknown): boolean {
  return error !== null && problemOf(error).code === 'inputs_unusable';
}
