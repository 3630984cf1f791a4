import { t } from '../../languages/words.ts';
export const movementWords = {
  sold: t('Sold'),
  voucher: t('Vouchers'),
  given: t('Given'),
  refunded: t('Refunded'),
  taken: t('Taken back'),
  captured: t('Captured'),
};
