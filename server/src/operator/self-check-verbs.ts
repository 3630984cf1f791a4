import type { Database } from '../db/database.ts';
import { verifyNow } from '../upkeep/verify/find-violations.ts';
import { unbegun, verifyEverything } from '../upkeep/verify/verify-everything.ts';
import type { OpenImages } from './archive-verbs.ts';

/** Whether what must always be true is true. */
export function selfCheckVerbs({ database, openImages }: { database: Database; openImages: OpenImages }) {
  return {
    /** `images`: reads each of them as well, which takes as long as there are many. */
    async selfCheck({ images: isWhole = false }: { images?: boolean } = {}) {
      const { checked, violations } = isWhole ? await readAll() : await verifyNow(database.read);
      return { ok: violations.length === 0, checked, violations };
    },
  };

  async function readAll(): Promise<Awaited<ReturnType<typeof verifyNow>>> {
    await using opened = await openImages();
    let done = unbegun;
    for await (done of verifyEverything({ database, images: opened.images }, done));
    return done;
  }
}
