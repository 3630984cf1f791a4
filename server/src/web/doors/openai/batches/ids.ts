import { isUuid } from '../../../../base/std/ids.ts';
import { unknownBatch } from '../../../../jobs/batches/get-batch.ts';

/** The files of a batch. Their contents are generated when a client reads them. */
export const parts = ['output', 'errors'] as const;
export type Part = (typeof parts)[number];

export function fileName(id: string): string {
  return `file-${bare(id)}`;
}

export function batchName(id: string): string {
  return `batch_${bare(id)}`;
}

export function partName(batchId: string, part: Part): string {
  return `file-${bare(batchId)}-${part}`;
}

export function parseFileName(name: string): { id: string; part: Part | undefined } | undefined {
  const [, hex = '', part] = /^file-([0-9a-f]{32})(?:-(output|errors))?$/.exec(name) ?? [];
  const id = dashed(hex);
  return isUuid(id) ? { id, part: parts.find((one) => one === part) } : undefined;
}

/** @throws AppError `not_found` */
export function parseBatchName(name: string): string {
  const id = dashed(/^batch_([0-9a-f]{32})$/.exec(name)?.[1] ?? '');
  if (!isUuid(id)) throw unknownBatch();
  return id;
}

function bare(id: string): string {
  return id.replaceAll('-', '');
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
