import { useRead } from '../../api/queries.ts';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Await } from '../../ui/problem-alert.tsx';

const againMs = 5_000;

/** How far the batch is whose jobs are shown. */
export function BatchStrip(props: { accountId: string; batchId: string }) {
  const params = { account_id: props.accountId, batch_id: props.batchId };
  const batch = useRead(
    'GET /panel/accounts/:account_id/batches/:batch_id',
    { params },
    { everyMs: againMs },
  );
  return (
    <Await query={batch}>
      {({ status, jobs, counts, price, charged }) => (
        <section aria-label="Batch">
          <Figures>
            <Figure name="Batch">{status}</Figure>
            <Figure name="Ended">
              {counts.done + counts.failed} of {jobs}
            </Figure>
            <Figure name="Failed">{counts.failed}</Figure>
            <Figure name="Charged" hint={`of ${price}`}>
              {charged}
            </Figure>
          </Figures>
        </section>
      )}
    </Await>
  );
}
