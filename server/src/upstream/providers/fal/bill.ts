import type { BillFormat } from '../../bills/bill.ts';

/**
 * The answer of `GET /v1/models/usage?timeframe=day`, or a table of it. A model has a separate endpoint for inputs.
 * fal.ai/docs/platform-apis/v1/models/usage
 */
export const falBills: readonly BillFormat[] = [
  {
    title: 'fal, usage by endpoint and day',
    signs: [['endpointid'], ['quantity'], ['bucket', 'date', 'starttime', 'timestamp']],
    timeZone: 'UTC',
    read: (cell) => ({
      from: cell('bucket', 'date', 'starttime', 'timestamp'),
      model: cell('endpointid')?.replace(/\/edit$/, ''),
      count: /^images?$/i.test(cell('unit') ?? '') ? cell('quantity') : undefined,
      amount: cell('costtotal', 'cost'),
      currency: cell('currency'),
    }),
  },
];
