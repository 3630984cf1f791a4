import type { Dialect } from './dialect.ts';

/** Imprints, by which copies of results are found: 64 bits in four indexed bands, and 256 finer bits. */
export function imprints({ int, uuid, clustered }: Dialect): string[] {
  const bands = ['band_0', 'band_1', 'band_2', 'band_3'];
  return [
    `create table imprints (
      job_id ${uuid} primary key,
      account_id ${uuid} not null,
      ${bands.map((band) => `${band} ${int} not null`).join(', ')},
      fine text not null
    ) ${clustered}`,
    ...bands.map((band) => `create index imprints_by_${band} on imprints (${band})`),
  ];
}
