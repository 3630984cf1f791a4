import { takeCoverage } from 'node:v8';

// The interval at which coverage is written. Writing it only at the end is not enough, because a killed server cannot
// write it.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
