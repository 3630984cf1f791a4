/** What the panel's pages are promised; types alone, checked when the server is compiled. */
export type * from '../../../panel/src/api/contract.ts';
