import { takeCoverage } from 'node:v8';

// The interval at which coverage is written, because a killed server writes none at its end.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
