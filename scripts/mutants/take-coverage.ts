import { takeCoverage } from 'node:v8';

// The interval at which coverage is written. Tests kill servers, which write nothing at their end.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
