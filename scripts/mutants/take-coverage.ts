import { takeCoverage } from 'node:v8';

// Preloaded to measure coverage: tests kill servers, which would write none.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
