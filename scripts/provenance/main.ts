import { parseArgs } from 'node:util';
import { compareCopies } from './compare-copies.ts';
import { judgeMarks } from './judge-marks.ts';
import { timeMarking } from './time-marking.ts';
import { timePolicy } from './time-policy.ts';

// npm run provenance -- [marks] [--images 100]
// Has exiftool and c2pa-python judge what leaves Darkroom by every way, made of so many signed and so many unsigned images of
// an upstream. Needs exiftool (Debian: libimage-exiftool-perl) and python3 with venv; c2pa-python goes into an environment of its own.
//
// npm run provenance -- copies [--results 1000] [--strangers 10000] [--photographs FOLDER]
// Asks /verify about copies of results, which it should know, and about images that are none, which it should not.
//
// npm run provenance -- time
// Processor time of marking and signing. How long an imprint is looked for: npm run bench -- --only imprints
//
// npm run provenance -- policy
// What asking a policy's service adds, and what becomes of requests while it is away for half a minute.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    images: { type: 'string', default: '100' },
    results: { type: 'string', default: '1000' },
    strangers: { type: 'string', default: '10000' },
    photographs: { type: 'string' },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const trials: Record<string, () => Promise<boolean>> = {
  marks: () => judgeMarks(say, Number(values.images)),
  copies: () =>
    compareCopies(say, {
      results: Number(values.results),
      strangers: Number(values.strangers),
      photographs: values.photographs,
    }),
  time: () => timeMarking(say),
  policy: () => timePolicy(say),
};
const [name = 'marks'] = positionals;
const trial = trials[name];
if (!trial) throw new Error(`there is no trial ${name}: ${Object.keys(trials)}`);
process.exitCode = (await trial()) ? 0 : 1;
