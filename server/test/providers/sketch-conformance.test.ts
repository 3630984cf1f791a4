import { failureKinds } from '../../src/upstream/providers/provider.ts';
import { createSketch } from '../../src/upstream/providers/sketch/sketch.ts';
import { conforms } from './conformance.ts';
import { closing } from './requests.ts';

conforms({
  name: 'sketch',
  open: async () => closing({ provider: createSketch() }),
  rows: failureKinds.map((kind) => ({ name: 'told to', prompt: `a fox [[fail:${kind}]]`, kind })),
});
