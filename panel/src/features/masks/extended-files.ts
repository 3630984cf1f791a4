import { t } from '../../languages/words.ts';
import { type Frame, keptIn, seamOf } from './extend.ts';
import { fileOf, maskFile, maskSize, openCanvas } from './mask-file.ts';

/** The longest side of the extended image: enough, because the server scales uploads down to 3072. */
const maxSide = 4096;
/** The side of the blurred image that fills the added area, so small that only colours are left. */
const blurredSide = 12;

export async function extendedFiles(link: string, frame: Frame): Promise<{ image: Blob; mask: Blob }> {
  const answer = await fetch(link, { credentials: 'omit' });
  if (!answer.ok) throw new Error(t('The image cannot be loaded. Reload the page and try again.'));
  const original = await createImageBitmap(await answer.blob());
  try {
    const factor = Math.min(1, maxSide / Math.max(frame.width, frame.height));
    const { context } = openCanvas({
      width: Math.round(frame.width * factor),
      height: Math.round(frame.height * factor),
    });
    context.scale(factor, factor);
    context.imageSmoothingQuality = 'high';
    const { context: small } = openCanvas({ width: blurredSide, height: blurredSide });
    small.drawImage(original, 0, 0, blurredSide, blurredSide);
    // Models continue what they see, so the image's own colours give better results than grey.
    context.drawImage(small.canvas, 0, 0, frame.width, frame.height);
    context.drawImage(original, frame.x, frame.y, original.width, original.height);
    const image = await fileOf(context.canvas);
    return { image, mask: await maskOf(frame, original) };
  } finally {
    original.close();
  }
}

function maskOf(frame: Frame, original: ImageBitmap): Promise<Blob> {
  const size = maskSize(frame);
  const { context } = openCanvas(size);
  const scale = size.width / frame.width;
  context.scale(scale, scale);
  context.fillRect(0, 0, frame.width, frame.height);
  const kept = keptIn(frame, original);
  context.clearRect(kept.x, kept.y, kept.width, kept.height);
  // The blur reaches three times its radius. With a sixth of the seam as its radius, it stays within the seam on both
  // sides.
  return maskFile(context, (seamOf(original) * scale) / 6);
}
