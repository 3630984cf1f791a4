import sharp from 'sharp';

interface SampleOptions {
  width: number;
  height: number;
  colour?: string;
  format?: 'png' | 'jpeg' | 'webp';
}

export function sampleImage({
  width,
  height,
  colour = '#3366cc',
  format = 'png',
}: SampleOptions): Promise<Buffer> {
  const image = sharp({ create: { width, height, channels: 3, background: colour } });
  return image.toFormat(format).toBuffer();
}
