import type { Batch } from '@darkroom/sdk';
import { CliError } from '../../cli-error.ts';
import { connect } from '../../client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatDuration, quoteForShell } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { print, printJson } from '../../output.ts';
import { noteRetry, type Progress } from '../../progress.ts';

export async function followBatch(
  batchId: string,
  { progress, json }: { progress: Progress; json: boolean },
): Promise<void> {
  const { batches } = await connect({ patient: true, onRetry: noteRetry(progress) });
  const farewell = {
    message: 'Stopped waiting. The batch continues on the server.',
    next: `come back with: darkroom batch get ${quoteForShell(batchId)} --wait`,
  };
  const batch = await interruptible(farewell, (signal) =>
    batches.wait(batchId, {
      signal,
      onChange: ({ counts: { done, failed }, jobs, charged }) =>
        progress.showCount(done + failed, jobs, `${failed === 0 ? '' : `${failed} failed  `}cost ${charged}`),
    }),
  );
  const { done, failed } = batch.counts;
  if (failed > 0) {
    const why = batch.status === 'cancelled' ? 'were cancelled or failed' : 'failed';
    throw new CliError(
      exitCodes.failed,
      `${failed} of ${batch.jobs} ${why}; ${done} done. Cost ${batch.charged}.`,
      `see each with: darkroom batch results ${batch.batch_id}`,
      batch,
    );
  }
  progress.finish(`${done} done in ${formatDuration(tookMs(batch))}  cost ${batch.charged}`);
  if (json) printJson(batch);
  else print(batch.batch_id);
}

/** The time from a batch's acceptance to its end, by the server's clock. */
function tookMs({ created_at: created, finished_at: finished }: Batch): number {
  return finished === null ? 0 : Date.parse(finished) - Date.parse(created);
}
