import { type InputImage, readImage, remoteUrl } from './local-image.ts';
import { longestBodyMs, send, type Transport } from './send.ts';
import type { Upload } from './types.ts';

/** How long a deletion may take. An upload that is not deleted expires anyway. */
const dropTimeMs = 5_000;

export interface UploadedImages {
  urls: string[];
  /** Deletes the uploads. Never throws. */
  drop(): Promise<void>;
}

export async function upload(
  transport: Transport,
  image: InputImage,
  signal: AbortSignal | undefined,
): Promise<Upload> {
  const body = await readImage(image);
  const type =
    body instanceof Blob && body.type.startsWith('image/') ? body.type : 'application/octet-stream';
  return send<Upload>(transport, {
    method: 'POST',
    path: '/uploads',
    headers: { 'content-type': type },
    file: body,
    extraTimeMs: longestBodyMs,
    signal,
  });
}

/** Uploads all images concurrently, repeated ones once. If one fails, deletes the others and throws the first error. */
export async function uploadImages(
  transport: Transport,
  images: readonly InputImage[],
  signal: AbortSignal | undefined,
): Promise<UploadedImages> {
  const uploads = new Map<InputImage, Upload>();
  const local = [...new Set(images)].filter((image) => remoteUrl(image) === undefined);
  const outcomes = await Promise.allSettled(
    local.map(async (image) => uploads.set(image, await upload(transport, image, signal))),
  );
  const drop = async () => {
    const quick = { ...transport, maxRetries: 0, requestTimeoutMs: dropTimeMs };
    const path = (one: Upload) => `/uploads/${one.upload_id}`;
    await Promise.allSettled(
      [...uploads.values()].map((one) => send(quick, { method: 'DELETE', path: path(one) })),
    );
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await drop();
    throw failed.reason;
  }
  return {
    urls: images.flatMap((image) => remoteUrl(image) ?? uploads.get(image)?.url ?? []),
    drop,
  };
}
