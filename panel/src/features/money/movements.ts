/** As statements of all accounts call their lines. */
export const movementWords = {
  sold: 'Sold',
  voucher: 'Vouchers',
  given: 'Given',
  refunded: 'Refunded',
  taken: 'Taken back',
  captured: 'Captured',
};
