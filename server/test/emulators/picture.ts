import sharp from 'sharp';

interface PictureOptions {
  width: number;
  height: number;
  colour?: string;
  format?: 'png' | 'jpeg' | 'webp';
}

/** A real encoded image of one colour. */
export function picture({
  width,
  height,
  colour = '#3366cc',
  format = 'png',
}: PictureOptions): Promise<Buffer> {
  const image = sharp({ create: { width, height, channels: 3, background: colour } });
  return image.toFormat(format).toBuffer();
}
