import type { BillFormat } from '../../bills/bill.ts';

/**
 * Files from the usage dashboard's Export button, and answers of the API calls behind it. Days are in UTC. A line item
 * is a model and a kind of use, such as `gpt-image-1, image output`.
 * help.openai.com/en/articles/10478918-api-usage-dashboard
 */
export const openAiBills: readonly BillFormat[] = [
  {
    title: 'OpenAI, costs by line item',
    signs: [['amountvalue'], ['lineitem'], ['starttime', 'starttimeiso']],
    timeZone: 'UTC',
    read: (cell) => ({
      from: cell('starttime', 'starttimeiso'),
      model: cell('lineitem')?.split(',')[0],
      amount: cell('amountvalue'),
      currency: cell('amountcurrency'),
    }),
  },
  {
    title: 'OpenAI, usage by model',
    signs: [['nummodelrequests'], ['model'], ['starttime', 'starttimeiso']],
    timeZone: 'UTC',
    read: (cell) => ({
      from: cell('starttime', 'starttimeiso'),
      model: cell('model'),
      count: cell('nummodelrequests'),
    }),
  },
];
