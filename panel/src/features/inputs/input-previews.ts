import { type QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { problemOf } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import type { InputImage } from './input-images.tsx';

/** How long a preview stays cached: long, because an image at a URL hardly changes while a person works with it. */
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

/** Previews an image on another server. Our server fetches the image, so that this browser contacts no other server. */
export function useInputPreview(url: string, enabled: boolean) {
  return useQuery({ ...previewOf(useAccountId(), url), enabled });
}

/** Reads an image's size. For another server's image, the size is that of our preview, which has the same shape. */
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

/** The indexes of inputs for which a create would fail. */
export function useRefused(inputs: readonly InputImage[], max: number): number[] {
  const accountId = useAccountId();
  const previews = useQueries({
    queries: inputs.map((input) => ({
      ...previewOf(accountId, 'url' in input ? input.url : ''),
      enabled: false, // only the input's tile requests the preview
    })),
  });
  return previews.flatMap(({ error }, index) => (isRefusal(error) || index >= max ? [index] : []));
}

/** Whether the image itself is unusable. Unreachable images may work later, so they do not count. */
export function isRefusal(error: unknown): boolean {
  return error !== null && problemOf(error).code === 'inputs_unusable';
}
