import { registerHooks } from 'node:module';

// This module is preloaded into a test process and its children. It loads one file with one change.

export interface LoadedMutant {
  url: string;
  start: number;
  end: number;
  text: string;
}

const mutant: LoadedMutant = JSON.parse(process.env.MUTANT ?? '{}');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== mutant.url || !loaded.source) return loaded;
    const source = loaded.source.toString();
    return { ...loaded, source: source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end) };
  },
});
