import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../base/db/database.ts';
import { replaceFile } from '../base/std/replace-file.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../images/open-store.ts';
import { estimateRows } from '../jobs/upkeep/verify/estimate-store.ts';
import { unbegun, type Verification, verifyEverything } from '../jobs/upkeep/verify/verify-everything.ts';

export interface VerifyProgress {
  rows: number;
  ofRows: number;
  images: number;
  ofImages: number;
}

interface VerifyOptions {
  resume?: boolean;
  images?: boolean;
  signal?: AbortSignal;
  onProgress?(progress: VerifyProgress): void;
}

// How often progress is written. At most this much work is repeated after a process is killed.
const writeEveryMs = 5_000;

/** Verification needs direct access to the database and the image store. */
export function verifyVerbs({ database, config }: { database: Database; config: Config }) {
  return {
    /** @throws the signal's reason, if it aborts; `resume` then continues */
    async verify({ resume = false, images: withImages = true, signal, onProgress }: VerifyOptions = {}) {
      await using stack = new AsyncDisposableStack();
      // A quick verification without images must not replace the progress of an interrupted full one.
      const file = join(config.dataDir, withImages ? 'verify.json' : 'verify-no-images.json');
      const images = withImages ? await openStore(config) : null;
      stack.defer(() => images?.[Symbol.asyncDispose]?.());
      let done = (resume && (await readStopped(file))) || unbegun;
      const { rows: ofRows, jobs: ofImages } = await estimateRows(database.read);
      let writtenAt = performance.now();
      for await (done of verifyEverything({ database, images }, done)) {
        onProgress?.({ ...countsOf(done), ofRows, ofImages });
        const isStopped = signal?.aborted === true;
        if (!isStopped && performance.now() - writtenAt < writeEveryMs) continue;
        await replaceFile(file, JSON.stringify(done));
        signal?.throwIfAborted();
        writtenAt = performance.now();
      }
      await rm(file, { force: true });
      const { checked, violations } = done;
      return { ok: violations.length === 0, checked, violations };
    },
  };
}

function countsOf({ checked: { images, ...rows } }: Verification): { rows: number; images: number } {
  return { rows: Object.values(rows).reduce((sum, count) => sum + count, 0), images };
}

async function readStopped(file: string): Promise<Verification | undefined> {
  const json = await readFile(file, 'utf8').catch(() => undefined); // no verification was interrupted
  return json === undefined ? undefined : (JSON.parse(json) as Verification); // `verify` wrote it
}
