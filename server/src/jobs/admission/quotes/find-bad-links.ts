import type { AppError } from '../../../errors.ts';
import { InputError, listPointer, maskPointer, unusableInputs } from '../../../images/inputs/input-errors.ts';
import type { FindOwnImage } from '../../open-own-image.ts';
import type { CreateRequest } from '../create-request.ts';

export interface LinkDeps {
  findOwnImage: FindOwnImage;
}

/** Finds links of ours that cannot be used. Opening them needs no connection, so a quote can check them. */
export async function findBadLinks(
  { findOwnImage }: LinkDeps,
  { accountId, inputUrls, mask }: Pick<CreateRequest, 'accountId' | 'inputUrls' | 'mask'>,
): Promise<AppError[]> {
  const links = inputUrls.map((url, index) => ({ url, pointer: `${listPointer}/${index}` }));
  if (mask) links.push({ url: mask.url, pointer: maskPointer });
  const found = await Promise.all(
    links.map(({ url, pointer }) =>
      findOwnImage(url, accountId).then(
        () => [],
        (error: unknown) => {
          if (error instanceof InputError) return [{ pointer, code: error.code, detail: error.message }];
          throw error;
        },
      ),
    ),
  );
  const failures = found.flat();
  return failures.length > 0 ? [unusableInputs(failures)] : [];
}
