import { takeCoverage } from 'node:v8';

// The interval at which coverage is written, because a killed server cannot write it at its end.
const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
