import type { OverlayOptions, Sharp } from 'sharp';
import { type Colour, mix } from '../colour.ts';
import { randomFrom } from '../random.ts';
import { loadSharp, type Pixels } from '../render.ts';
import type { Edit } from './edit.ts';
import { open, type RawImage, toRaw } from './finish.ts';
import { type Cell, layOut } from './layout.ts';

export interface Print extends Pixels {
  bytes: ArrayBuffer;
}

export async function compose(
  prints: readonly Print[],
  edit: Edit,
  pixels: Pixels,
  seed: string,
): Promise<RawImage> {
  const [only] = prints;
  if (only && prints.length === 1 && edit.layout !== 'polaroids') return fitted(only, edit, pixels);
  const sharp = await loadSharp();
  const unit = Math.min(pixels.width, pixels.height);
  const gap = Math.round(unit * 0.016);
  const cells = layOut(edit.layout, prints, pixels, gap);
  const layers = await Promise.all(
    prints.map((print, index) => {
      const cell = cells[index] ?? { left: 0, top: 0, ...pixels };
      return edit.layout === 'polaroids'
        ? polaroid(print, edit, cell, pixels, `${seed}/${index}`)
        : pane(print, edit, cell, unit);
    }),
  );
  const background: Colour = edit.frame ?? (edit.layout === 'polaroids' ? '#c9a781' : '#f4efe4');
  const sheet = sharp({ create: { ...pixels, channels: 3, background }, limitInputPixels: false });
  return toRaw(sheet.composite(layers).removeAlpha());
}

/** Returns the input mirrored and rotated, not yet cut to size. */
export async function turned({ bytes }: Print, edit: Edit): Promise<Sharp> {
  const sharp = await loadSharp();
  let image = sharp(bytes, { limitInputPixels: false });
  if (edit.flip) image = image.flip();
  if (edit.mirror) image = image.flop();
  return edit.rotate % 360 === 0 ? image : image.rotate(edit.rotate, { background: paper });
}

const paper = '#f4efe4';
/**
 * An image is cropped to fill the sheet if its aspect ratio differs from the sheet's by at most this factor. Otherwise,
 * the whole image is shown on a blurred enlargement of itself.
 */
const mayCrop = 1.5;

async function fitted(print: Print, edit: Edit, pixels: Pixels): Promise<RawImage> {
  const misfit = Math.abs(Math.log(print.width / print.height / (pixels.width / pixels.height)));
  if (misfit <= Math.log(mayCrop))
    return toRaw((await cover(print, edit, pixels)).flatten({ background: paper }).removeAlpha());
  const sharp = await loadSharp();
  const tiny = await (await cover(print, edit, shrunk(pixels)))
    .flatten({ background: paper })
    .png()
    .toBuffer();
  const soft = await sharp(tiny).blur(3).modulate({ brightness: 0.72 }).png().toBuffer();
  const whole = await (await cover(print, edit, innerOf(print, pixels)))
    .png({ compressionLevel: 0 })
    .toBuffer();
  return toRaw(
    sharp(soft)
      .resize(pixels.width, pixels.height, { fit: 'fill', kernel: 'cubic' })
      .composite([{ input: whole, gravity: 'centre' }])
      .removeAlpha(),
  );
}

/**
 * The size of the image on its backdrop. It keeps its shape, except that its ratio moves towards the sheet's by a
 * factor of at most 1.25.
 */
function innerOf(print: Pixels, sheet: Pixels): Pixels {
  const own = print.width / print.height;
  const wanted = sheet.width / sheet.height;
  const ratio = own > wanted ? Math.max(wanted, own / 1.25) : Math.min(wanted, own * 1.25);
  const width = 0.94 * Math.min(sheet.width, sheet.height * ratio);
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(width / ratio)) };
}

function shrunk({ width, height }: Pixels): Pixels {
  const scale = 96 / Math.max(width, height);
  return { width: Math.max(8, Math.round(width * scale)), height: Math.max(8, Math.round(height * scale)) };
}

/** Rotation and resizing need two pipelines, because sharp would otherwise resize first. */
async function loaded(print: Print, edit: Edit): Promise<Sharp> {
  const image = await turned(print, edit);
  if (edit.rotate % 360 === 0) return image;
  const sharp = await loadSharp();
  return sharp(await image.png({ compressionLevel: 0 }).toBuffer(), { limitInputPixels: false });
}

async function cover(print: Print, edit: Edit, { width, height }: Pixels): Promise<Sharp> {
  return (await loaded(print, edit)).toColourspace('srgb').resize({ width, height, fit: 'cover' });
}

async function pane(print: Print, edit: Edit, cell: Cell, unit: number): Promise<OverlayOptions> {
  const radius = Math.round(Math.min(unit * 0.014, cell.width / 4, cell.height / 4));
  const mask = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${cell.width}" height="${cell.height}"><rect width="100%" height="100%" rx="${radius}"/></svg>`,
  );
  const image = (await open(await fitted(print, edit, cell))).ensureAlpha();
  const { data, info } = await image
    .composite([{ input: mask, blend: 'dest-in' }])
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    input: data,
    raw: { width: info.width, height: info.height, channels: info.channels },
    left: cell.left,
    top: cell.top,
  };
}

async function polaroid(
  print: Print,
  edit: Edit,
  cell: Cell,
  pixels: Pixels,
  seed: string,
): Promise<OverlayOptions> {
  const sharp = await loadSharp();
  const random = randomFrom(seed);
  const side = Math.max(24, Math.round(Math.min(cell.width, cell.height / 1.13) * 0.92));
  const margin = Math.round(side * 0.06);
  const photo = side - 2 * margin;
  const picture = await (await cover(print, edit, { width: photo, height: photo }))
    .flatten({ background: paper })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const card = { width: side, height: Math.round(side * 1.13) };
  const white = mix('#fffdf6', '#e9dcc4', random.between(0, 0.35));
  const shadow = `<svg xmlns="http://www.w3.org/2000/svg" width="${card.width + 2 * margin}" height="${card.height + 2 * margin}">${[
    0, 1, 2, 3,
  ]
    .map(
      (step) =>
        `<rect x="${margin * (0.6 + step * 0.12)}" y="${margin * (0.9 + step * 0.12)}" width="${card.width + margin * (0.9 - step * 0.24)}" height="${card.height + margin * (0.9 - step * 0.24)}" rx="${margin * 0.5}" fill="#2a1a0c" fill-opacity=".09"/>`,
    )
    .join(
      '',
    )}<rect x="${margin}" y="${margin}" width="${card.width}" height="${card.height}" rx="${margin * 0.15}" fill="${white}"/></svg>`;
  const flat = await sharp(Buffer.from(shadow))
    .composite([{ input: picture, left: 2 * margin, top: 2 * margin }])
    .png({ compressionLevel: 0 })
    .toBuffer();
  const angle = random.between(-6, 6);
  const tilted = await sharp(flat)
    .rotate(angle, { background: '#00000000' })
    .toBuffer({ resolveWithObject: true });
  const inside = await sharp(tilted.data)
    .resize({
      width: Math.min(tilted.info.width, pixels.width),
      height: Math.min(tilted.info.height, pixels.height),
      fit: 'inside',
    })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
  const middle = (start: number, room: number, size: number, end: number) =>
    Math.max(0, Math.min(end - size, Math.round(start + (room - size) / 2)));
  return {
    input: inside.data,
    left: middle(cell.left, cell.width, inside.info.width, pixels.width),
    top: middle(cell.top, cell.height, inside.info.height, pixels.height),
  };
}
