export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

export interface Sample {
  suffix?: string;
  labels: readonly (readonly [name: string, value: string])[];
  value: number;
}

export function toMetricText(families: readonly Family[]): string {
  return families.map(linesOf).join('');
}

function linesOf({ name, help, type, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels, value }) => {
    const shown = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',');
    return `${name}${suffix}${shown && `{${shown}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export interface Observed {
  sum: number;
  /** One count per bound, and a last one for values above all bounds. */
  buckets: number[];
}

export function nothingObserved(bounds: readonly number[]): Observed {
  return { sum: 0, buckets: [...bounds.map(() => 0), 0] };
}

export function observe(observed: Observed, bounds: readonly number[], amount: number): void {
  let at = 0;
  while (at < bounds.length && amount > (bounds[at] ?? 0)) at += 1;
  observed.sum += amount;
  observed.buckets[at] = (observed.buckets[at] ?? 0) + 1;
}

export function samplesOf(
  { sum, buckets }: Observed,
  bounds: readonly number[],
  labels: Sample['labels'],
): Sample[] {
  let total = 0;
  const samples = buckets.map((count, index): Sample => {
    total += count;
    const bound = ['le', `${bounds[index] ?? '+Inf'}`] as const;
    return { suffix: '_bucket', labels: [...labels, bound], value: total };
  });
  return [...samples, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }];
}
