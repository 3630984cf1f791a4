import {
  type Family,
  nothingObserved,
  type Observed,
  observe,
  type Sample,
  samplesOf,
} from './metric-text.ts';

/** Collects this process's metrics. The Prometheus client, which takes 4 MB, loads only when metrics are read. */
export interface Meter {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** @param bounds the upper bounds of the buckets, in the unit at the end of the metric's name */
  histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Histogram;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  /** Registers values that are read at every scrape. */
  reading(name: string, help: string, labels: readonly string[], read: () => Reading[]): void;
  read(): Family[];
}

export interface Counter {
  /** `values` are the labels' values, in the order of the labels. */
  add(values?: readonly string[], amount?: number): void;
}
export interface Gauge extends Counter {
  set(value: number, values?: readonly string[]): void;
}
export interface Histogram {
  observe(amount: number, values?: readonly string[]): void;
}
export type Reading = readonly [value: number, values: readonly string[]];

/** Bounds in seconds, from the time of fast calls to the time after which clients give up. */
export const secondBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The maximum number of series. Further series count as `other`, so that unexpected labels cannot fill the memory. */
const maxSeries = 1_000;

export function createMeter(): Meter {
  const families = new Map<string, () => Family>();

  function numbers(type: 'counter' | 'gauge', name: string, help: string, labels: readonly string[]) {
    const series = new Series(labels, () => ({ value: 0 }));
    if (labels.length === 0) series.of([]);
    families.set(name, () => ({
      name,
      help,
      type,
      samples: series.samples((at, of) => [{ labels: of, ...at }]),
    }));
    return series;
  }

  return {
    counter(name, help, labels = []) {
      const series = numbers('counter', name, help, labels);
      return {
        add(values = [], amount = 1) {
          series.of(values).value += amount;
        },
      };
    },
    gauge(name, help, labels = []) {
      const series = numbers('gauge', name, help, labels);
      return {
        add(values = [], amount = 1) {
          series.of(values).value += amount;
        },
        set(value, values = []) {
          series.of(values).value = value;
        },
      };
    },
    histogram(name, help, labels, bounds) {
      const series = new Series<Observed>(labels, () => nothingObserved(bounds));
      families.set(name, () => ({
        ...{ name, help, type: 'histogram' },
        samples: series.samples((observed, of) => samplesOf(observed, bounds, of)),
      }));
      return {
        observe(amount, values = []) {
          observe(series.of(values), bounds, amount);
        },
      };
    },
    reading(name, help, labels, read) {
      families.set(name, () => ({
        ...{ name, help, type: 'gauge' },
        samples: read().map(([value, values]) => ({ labels: pairsOf(labels, values), value })),
      }));
    },
    read: () => [...families.values()].map((family) => family()),
  };
}

class Series<State> {
  readonly #labels: readonly string[];
  readonly #create: () => State;
  readonly #states = new Map<string, { values: readonly string[]; state: State }>();

  constructor(labels: readonly string[], create: () => State) {
    this.#labels = labels;
    this.#create = create;
  }

  of(values: readonly string[]): State {
    const [only = ''] = values;
    const key = values.length < 2 ? only : values.join('\n');
    const known = this.#states.get(key);
    if (known) return known.state;
    if (this.#states.size > maxSeries && only !== 'other') return this.of(this.#labels.map(() => 'other'));
    const state = this.#create();
    this.#states.set(key, { values, state });
    return state;
  }

  samples(show: (state: State, labels: Sample['labels']) => Sample[]): Sample[] {
    return [...this.#states.values()].flatMap(({ values, state }) =>
      show(state, pairsOf(this.#labels, values)),
    );
  }
}

function pairsOf(labels: readonly string[], values: readonly string[]): Sample['labels'] {
  return labels.map((label, index) => [label, values[index] ?? '']);
}
