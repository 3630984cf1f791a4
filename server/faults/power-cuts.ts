import { parseArgs } from 'node:util';
import { runPowerCuts } from './power-cuts/run-power-cuts.ts';

/** `npm run power-cuts -- [--seed N] [--creates N] [--cuts N] [--sync-ms N]`; needs strace. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    creates: { type: 'string', default: '5000' },
    cuts: { type: 'string', default: '2000' },
    'sync-ms': { type: 'string', default: '4' },
  },
});

const { acknowledged, done, cuts, checkpoints, violations } = await runPowerCuts({
  seed: Number(values.seed),
  creates: Number(values.creates),
  cuts: Number(values.cuts),
  syncMs: Number(values['sync-ms']),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const rows: [string, unknown][] = [
  ['seed', values.seed],
  ['acknowledged jobs', acknowledged],
  ['told done, with their images', done],
  ['checkpoints crossed', checkpoints],
  ...Object.entries(cuts).map(([fate, count]): [string, unknown] => [
    `power cuts, unsynced writes ${fate}`,
    count,
  ]),
  ['violations', violations.length],
];
for (const [name, value] of [['what', 'count'], ['---', '---'], ...rows])
  process.stdout.write(`| ${name} | ${value} |\n`);
for (const violation of violations.slice(0, 15)) process.stdout.write(`VIOLATION ${violation}\n`);
process.exitCode = violations.length > 0 ? 1 : 0;
