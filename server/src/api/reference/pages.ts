export { readReference } from './document.ts';
export { errorListPage, errorPage } from './error-pages.ts';
export { overviewPage } from './overview.ts';
