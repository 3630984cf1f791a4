import { extensions, type StoredMediaType } from './media-types.ts';

/**
 * The first seven digits of a job's id change every 17.5 minutes. Folders have them as names
 * (`results/0197c3a/{job_id}-1.png`), so that most images share an existing folder and its sync, and no folder has too
 * many entries. Older keys have one folder per job, `results/{job_id}/1.png`.
 */
const digits = 7;

/** The key includes the attempt, so that a worker that lost its lease cannot overwrite its successor's image. */
export function resultKey(jobId: string, attempt: number, mediaType: StoredMediaType = 'image/png'): string {
  return `${objectsOf('results', jobId)}${attempt}.${extensions[mediaType]}`;
}

/** `name` is unique among the inputs of a job. */
export function inputKey(jobId: string, name: string): string {
  return `${objectsOf('inputs', jobId)}${name}`;
}

export function objectsOf(kind: 'results' | 'inputs', jobId: string): string {
  return `${kind}/${jobId.slice(0, digits)}/${jobId}-`;
}

/** The key for the copy of a reported image that was taken down. */
export function evidenceKey(reportId: string, mediaType: StoredMediaType): string {
  return `evidence/${reportId.slice(0, digits)}/${reportId}-1.${extensions[mediaType]}`;
}

const owner =
  /^[a-z]+\/(?:[0-9a-f]{7}\/)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[-./]/;

/** The id of a job, upload (`uploads/{upload_id}.png`) or report; undefined for any other key. */
export function ownerOf(key: string): string | undefined {
  return owner.exec(key)?.[1];
}
