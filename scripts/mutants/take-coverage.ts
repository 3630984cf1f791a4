import { takeCoverage } from 'node:v8';

// Preloaded where coverage is measured: tests kill servers, which write none at their end then.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
