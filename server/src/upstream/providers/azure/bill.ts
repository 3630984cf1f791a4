import type { BillFormat } from '../../bills/bill.ts';

/** The services whose meters count images, among all services of a subscription. */
const services = /foundry|openai|cognitive/i;

/**
 * Cost and usage details of Azure
 * (learn.microsoft.com/azure/cost-management-billing/automate/understand-usage-details-fields): the columns have the
 * same names in every kind of agreement, apart from upper and lower case. A meter's name is a sentence: `gpt-image-1
 * img outp glbl Tokens`.
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
