import type { Database } from '../base/db/database.ts';
import type { FindImage } from '../images/image-links.ts';
import { findUploadedImage } from '../images/uploads/upload-store.ts';
import { findJobImage } from './job-store.ts';

export function createFindImage({ read }: Pick<Database, 'read'>): FindImage {
  return (image) =>
    image.kind === 'upload'
      ? findUploadedImage(read, image.uploadId)
      : findJobImage(read, image.jobId, image.input);
}
