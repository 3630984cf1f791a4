import type { BillFormat } from '../../bills/bill.ts';

/** The services of a subscription whose meters count images. */
const services = /foundry|openai|cognitive/i;

/**
 * Columns differ between agreements only in case. A meter's name is a sentence: `gpt-image-1 img outp glbl Tokens`.
 * learn.microsoft.com/azure/cost-management-billing/automate/understand-usage-details-fields
 */
export const azureBills: readonly BillFormat[] = [
  {
    title: 'Azure, cost and usage details',
    signs: [['metername'], ['date', 'usagedatetime'], ['costinbillingcurrency', 'pretaxcost', 'cost']],
    timeZone: 'UTC',
    inWords: true,
    read(cell) {
      const service = [cell('metercategory'), cell('consumedservice')].join(' ');
      if (service !== ' ' && !services.test(service)) return undefined;
      return {
        from: cell('date', 'usagedatetime'),
        model: cell('metername'),
        amount: cell('costinbillingcurrency', 'pretaxcost', 'cost'),
        currency: cell('billingcurrencycode', 'billingcurrency', 'currency'),
      };
    },
  },
];
