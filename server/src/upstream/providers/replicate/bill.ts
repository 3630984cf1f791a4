import type { BillFormat } from '../../bills/bill.ts';

/**
 * The list of predictions, because no daily file of Replicate has amounts. Cancelled and failed predictions are
 * omitted: they made no image. replicate.com/docs/reference/http#predictions.list
 */
export const replicateBills: readonly BillFormat[] = [
  {
    title: 'Replicate, list of predictions',
    signs: [['model'], ['status'], ['completedat'], ['id']],
    timeZone: 'UTC',
    read: (cell) =>
      cell('status') === 'succeeded'
        ? { from: cell('completedat'), model: cell('model'), count: '1' }
        : undefined,
  },
];
