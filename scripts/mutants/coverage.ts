import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

interface ScriptCoverage {
  url: string;
  functions: { ranges: Range[] }[];
}

export type Coverage = Record<string, Range[][]>;

/** Reads the coverage that Node wrote into this folder because of NODE_V8_COVERAGE, one file for each process. */
export function readCoverage(folder: string, sources: readonly string[]): Coverage {
  const urls = new Map(sources.map((source) => [pathToFileURL(source).href, source]));
  const coverage: Coverage = {};
  for (const name of readdirSync(folder)) {
    const { result }: { result: ScriptCoverage[] } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const { url, functions } of result) {
      const source = urls.get(url);
      if (source === undefined) continue;
      coverage[source] ??= [];
      coverage[source].push(functions.flatMap(({ ranges }) => ranges));
    }
  }
  return coverage;
}

/** Whether the code at this offset ran in any process, according to the smallest range around it. */
export function ran(coverage: Coverage, file: string, offset: number): boolean {
  return (coverage[file] ?? []).some((ranges) => {
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
    const smallest = around.reduce<Range | undefined>(
      (best, range) => (best && sizeOf(best) <= sizeOf(range) ? best : range),
      undefined,
    );
    return smallest !== undefined && smallest.count > 0;
  });
}

function sizeOf({ startOffset, endOffset }: Range): number {
  return endOffset - startOffset;
}
