import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import { type EraseDeps, eraseAccount } from '../upkeep/erase-account.ts';
import { exportAccount } from '../upkeep/export-account.ts';

export interface ArchiveVerbDeps extends Omit<EraseDeps, 'images' | 'mayRemove'> {
  openImages: OpenImages;
  openIds(): Promise<OpaqueIds>;
}

/** The store of images, until it is given back: a server's own stays open. */
export type OpenImages = () => Promise<OpenedImages & AsyncDisposable>;

type OpenedImages = Pick<EraseDeps, 'images' | 'mayRemove'>;

/** The archive of an account, and its end. */
export function archiveVerbs({ openImages, openIds, ...deps }: ArchiveVerbDeps, by: Actor) {
  const { database } = deps;
  return {
    /** A zip archive, piece by piece. */
    async *exportAccount(account: string): AsyncGenerator<Uint8Array> {
      const { id } = await accountOf(database.read, account);
      await using opened = await openImages();
      yield* exportAccount({ database, images: opened.images, ids: await openIds() }, id, by);
    },
    /** `name` confirms it. */
    async eraseAccount(account: string, { name }: { name: string }) {
      await using opened = await openImages();
      const { images, mayRemove } = opened;
      const erased = await eraseAccount({ ...deps, images, mayRemove }, { account, name }, by);
      return { account_id: erased.accountId, jobs: erased.jobs, objects: erased.objects };
    },
  };
}
