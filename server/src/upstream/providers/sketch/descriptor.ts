import { availableParallelism } from 'node:os';
import { forAll, type ProviderDescriptor } from '../descriptor.ts';
import { SketchSettings } from './settings.ts';
import { createSketch, sketchCapabilities } from './sketch.ts';

export const sketchDescriptor: ProviderDescriptor<SketchSettings, Record<string, never>> = {
  settings: SketchSettings,
  create: createSketch,
  capabilitiesOf: () => sketchCapabilities,
  usual: {
    slots: Math.max(2, availableParallelism()),
    slotsAbout: 'one for each processor but at least 2',
    timeoutSeconds: 120,
  },
  environment: { variables: [], credentials: () => ({}) },
  routes: () => forAll({}),
};
