import { parseArgs } from 'node:util';
import { compareCopies } from './compare-copies.ts';
import { judgeMarks } from './judge-marks.ts';
import { timeMarking } from './time-marking.ts';
import { timePolicy } from './time-policy.ts';

// npm run provenance -- [marks] [--images 100]
// Makes images from signed and unsigned sources, and downloads them in every way that Darkroom delivers them. Lets
// exiftool and c2pa-python judge the files. Needs exiftool (Debian: libimage-exiftool-perl) and python3 with venv.
//
// npm run provenance -- copies [--results 1000] [--strangers 10000] [--photographs FOLDER]
// Asks /verify about copies of results, which it should recognize, and about other images, which it should not.
//
// npm run provenance -- time
// Measures the processor time of marking and signing. `npm run bench -- --only imprints` measures an imprint's lookup.
//
// npm run provenance -- policy
// Measures the time that a policy's service adds, and how requests end while the service is down for half a minute.
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
