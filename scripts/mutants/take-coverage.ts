import { takeCoverage } from 'node:v8';

// Writes coverage at this interval, because a killed server writes none at its end.

const everyMs = 500;

setInterval(takeCoverage, everyMs).unref();
