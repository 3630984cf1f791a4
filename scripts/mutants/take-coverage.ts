import { takeCoverage } from 'node:v8';

// Preloaded to measure coverage: tests kill servers, and a killed server would write no coverage.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
