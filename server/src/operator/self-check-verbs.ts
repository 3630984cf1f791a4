import type { Database } from '../db/database.ts';
import { type SelfCheck, selfCheck } from '../upkeep/verify/self-check.ts';
import { unbegun, verifyEverything } from '../upkeep/verify/verify-everything.ts';
import type { OpenImages } from './archive-verbs.ts';

/** Whether what must always be true is true. */
export function selfCheckVerbs({ database, openImages }: { database: Database; openImages: OpenImages }) {
  return {
    /** For a while; `images`: to the end and each image as well, which takes as long as there are many. */
    async selfCheck({ images: isWhole = false }: { images?: boolean } = {}) {
      const began = performance.now();
      const { checked, violations, complete } = isWhole ? await readAll() : await selfCheck(database);
      const ms = Math.round(performance.now() - began);
      return { ok: violations.length === 0, complete, checked, violations, ms };
    },
  };

  async function readAll(): Promise<SelfCheck> {
    await using opened = await openImages();
    let done = unbegun;
    for await (done of verifyEverything({ database, images: opened.images }, done));
    return { ...done, complete: true };
  }
}
