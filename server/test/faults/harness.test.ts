import { test } from 'node:test';
import { killInARow } from './support/kill-in-a-row.ts';

// The short form of `every-fault.test.ts`.
test('kill -9 four times in a row under load: every acknowledged create exists and its job ends', () =>
  killInARow(4, 60));
