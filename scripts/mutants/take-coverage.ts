import { takeCoverage } from 'node:v8';

// The interval at which coverage is written. A killed server cannot write its coverage when it ends.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
