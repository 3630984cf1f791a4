import type { AnswerOf } from '@darkroom/server/panel-contract';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { linkOf } from '../../api/send.ts';
import { number } from '../../languages/format.ts';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Progress } from '../../ui/figures/progress.tsx';
import { DownloadButton } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { CancelBatch } from './cancel-batch.tsx';

type Batch = AnswerOf<'GET /api/v1/batches/:batch_id'>;

const againMs = 5_000;

export function BatchStrip({ batchId }: { batchId: string }) {
  const params = { account_id: useAccountId(), batch_id: batchId };
  const batch = useRead('GET /api/v1/batches/:batch_id', { params }, { everyMs: againMs });
  return (
    <Await query={batch}>
      {(known) => (
        <section aria-label="Batch" className="stack">
          {known.name !== null && <h2>{known.name}</h2>}
          <Progress name="Ended" all={known.jobs} done={known.counts.done} failed={known.counts.failed} />
          <State batch={known} />
          <div className="row">
            <DownloadButton href={linkOf('GET /api/v1/batches/:batch_id/images.zip', { params })}>
              Download images
            </DownloadButton>
            <DownloadButton href={linkOf('GET /api/v1/batches/:batch_id/results', { params })}>
              Download results
            </DownloadButton>
            {known.status === 'processing' && <CancelBatch batch={known} />}
          </div>
        </section>
      )}
    </Await>
  );
}

function State({ batch: { status, jobs, counts, price, charged } }: { batch: Batch }) {
  return (
    <Figures>
      <Figure name="Batch">
        <StatusBadge status={status} />
      </Figure>
      <Figure name="Ended">
        {number(counts.done + counts.failed)} of {number(jobs)}
      </Figure>
      <Figure name="Failed">{number(counts.failed)}</Figure>
      <Figure name="Charged" hint={`of ${price}`}>
        <Money amount={charged} />
      </Figure>
    </Figures>
  );
}
