import type { BillFormat } from '../../bills/bill.ts';

const services = /gemini|vertex|generative/i;

/**
 * The cost table and the daily reports give days in Pacific time (cloud.google.com/billing/docs/how-to/cost-table).
 * BigQuery's tables give exact times (…/how-to/export-data-bigquery-tables/standard-usage). The description of a SKU is
 * a sentence that names the model.
 */
export const googleBills: readonly BillFormat[] = [
  {
    title: 'Google Cloud Billing, costs by SKU and day',
    signs: [
      ['skudescription'],
      ['cost', 'unroundedcost'],
      ['usagestarttime', 'usagestartdate', 'usagedate', 'date', 'day'],
    ],
    timeZone: 'America/Los_Angeles',
    inWords: true,
    isRounded: true,
    read(cell) {
      const service = cell('servicedescription');
      if (service !== undefined && !services.test(service)) return undefined;
      return {
        from: cell('usagestarttime', 'usagestartdate', 'usagedate', 'date', 'day'),
        until: cell('usageendtime', 'usageenddate'),
        model: cell('skudescription'),
        amount: cell('unroundedcost', 'cost'),
        currency: cell('currency'),
      };
    },
  },
];
