import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import * as parts from './file-parts.ts';

/** `either`: decoders may accept or refuse the damage, as long as they end. */
export type Expectation = 'refused' | 'decoded' | 'either';

export interface HostileFile {
  name: string;
  bytes: Buffer;
  expect: Expectation;
}

export async function makeHostileFiles(): Promise<HostileFile[]> {
  const good = await makeGoodFiles();
  return [
    ...bombs(good),
    ...forgedHeaders(good),
    ...truncated(good),
    ...damaged(good),
    ...metadata(good),
    ...polyglots(good),
    ...otherFormats(good),
    ...vectors(),
  ];
}

export interface GoodFiles {
  jpeg: Buffer;
  progressive: Buffer;
  png: Buffer;
  webp: Buffer;
  lossless: Buffer;
  gif: Buffer;
  tiff: Buffer;
  avif: Buffer;
}

export async function makeGoodFiles(): Promise<GoodFiles> {
  const image = sharp({
    create: {
      width: 320,
      height: 240,
      channels: 3,
      background: '#3070b0',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  });
  const [jpeg, progressive, png, webp, lossless, gif, tiff, avif] = await Promise.all([
    image.clone().jpeg().toBuffer(),
    image.clone().jpeg({ progressive: true }).toBuffer(),
    image.clone().png().toBuffer(),
    image.clone().webp().toBuffer(),
    image.clone().webp({ lossless: true }).toBuffer(),
    image.clone().gif().toBuffer(),
    image.clone().tiff().toBuffer(),
    image.clone().resize(32).avif({ effort: 0 }).toBuffer(),
  ]);
  return { jpeg, progressive, png, webp, lossless, gif, tiff, avif };
}

function bombs(good: GoodFiles): HostileFile[] {
  const frame = Buffer.concat([
    Buffer.alloc(6),
    Buffer.from([0x3f, 1, 0, 0xef, 0, 0, 10, 0, 0, 0]),
    good.webp.subarray(12),
  ]);
  const animated = parts.webp(
    parts.webpCanvas(0x02, 320, 240),
    parts.webpChunk('ANIM', Buffer.alloc(6)),
    ...Array.from({ length: 1000 }, () => parts.webpChunk('ANMF', frame)),
  );
  return [
    refused('PNG of 30,000 × 30,000 in one bit', parts.blackPng({ width: 30_000, height: 30_000, depth: 1 })),
    refused('PNG of 16,000 × 16,000 in one bit', parts.blackPng({ width: 16_000, height: 16_000, depth: 1 })),
    refused('PNG just beyond 50 megapixels', parts.blackPng({ width: 7072, height: 7072, depth: 1 })),
    decoded('PNG just within 50 megapixels', parts.blackPng({ width: 7071, height: 7071, depth: 1 })),
    refused('PNG that is very wide', parts.blackPng({ width: 60_000_000, height: 1, depth: 1 })),
    either(
      'interlaced RGBA PNG of 20 megapixels',
      parts.blackPng({ width: 4472, height: 4472, colour: 6, interlaced: true }),
    ),
    decoded(
      'RGB PNG of 16 bits and 9 megapixels',
      parts.blackPng({ width: 3000, height: 3000, colour: 2, depth: 16 }),
    ),
    either('progressive JPEG of 2,000 scans', parts.withRepeatedScan(good.progressive, 2000)),
    either(
      'GIF of 10,000 frames',
      parts.gif({ width: 100, height: 100, frames: Array.from({ length: 10_000 }, () => parts.gifFrame()) }),
    ),
    either('WebP of 1,000 frames', animated),
    either(
      'GIF with a screen of 65,535 × 65,535',
      parts.gif({ width: 65_535, height: 65_535, frames: [parts.gifFrame()] }),
    ),
    refused('gzip of an image', gzipSync(good.png)),
  ];
}

function forgedHeaders(good: GoodFiles): HostileFile[] {
  const sizes = [
    [0, 0],
    [0, 10],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 32 - 1, 1],
    [1_000_000, 1_000_000],
  ] as const;
  const pixels = parts.pngChunk('IDAT', deflateSync(Buffer.alloc(100)));
  return [
    ...sizes.map(([width, height]) =>
      refused(`PNG that claims ${width} × ${height}`, parts.png(parts.pngHeader({ width, height }), pixels)),
    ),
    refused(
      'PNG of an impossible bit depth',
      parts.png(parts.pngHeader({ width: 10, height: 10, depth: 77 }), pixels),
    ),
    refused('PNG without pixels', parts.png(parts.pngHeader({ width: 10, height: 10 }))),
    refused('PNG with too few pixels', parts.png(parts.pngHeader({ width: 1000, height: 1000 }), pixels)),
    refused('PNG of nothing but a signature', good.png.subarray(0, 8)),
    refused('PNG without a header', parts.png(pixels)),
    refused(
      'PNG with a chunk of 2 GB',
      Buffer.concat([good.png.subarray(0, 33), parts.uint32(2 ** 31 - 1), Buffer.from('IDAT')]),
    ),
    refused('JPEG that claims 65,535 × 65,535', parts.withJpegSize(good.jpeg, 65_535, 65_535)),
    refused('JPEG that claims 0 × 0', parts.withJpegSize(good.jpeg, 0, 0)),
    refused('JPEG that claims 8,000 × 6,000', parts.withJpegSize(good.jpeg, 8000, 6000)),
    refused(
      'progressive JPEG that claims 65,535 × 1,000',
      parts.withJpegSize(good.progressive, 65_535, 1000),
    ),
    refused('JPEG of nothing but a start', Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
    refused('JPEG of fill bytes', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])),
    refused(
      'WebP with a canvas of 16,384 × 16,384',
      parts.webp(parts.webpCanvas(0, 16_384, 16_384), good.webp.subarray(12)),
    ),
    refused('WebP without an image', parts.webp(parts.webpCanvas(0, 10, 10))),
    refused('WebP of nothing but a header', good.webp.subarray(0, 16)),
    refused(
      'lossless WebP of noise',
      parts.webp(parts.webpChunk('VP8L', Buffer.concat([Buffer.from([0x2f]), randomBytes(5000)]))),
    ),
    refused(
      'lossless WebP with Huffman tables of ones',
      parts.webp(parts.webpChunk('VP8L', Buffer.concat([Buffer.from([0x2f]), Buffer.alloc(5000, 0xff)]))),
    ),
    refused('GIF of nothing but a header', Buffer.from('GIF89a')),
    refused('GIF without a frame', parts.gif({ width: 10, height: 10 })),
    either(
      'GIF with a frame outside the screen',
      parts.gif({ width: 10, height: 10, frames: [parts.gifFrame(60_000, 60_000)] }),
    ),
    refused('GIF of noise', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(4), randomBytes(5000)])),
  ];
}

function truncated(good: GoodFiles): HostileFile[] {
  const { jpeg, progressive, png, webp, lossless, gif } = good;
  return Object.entries({ jpeg, progressive, png, webp, lossless, gif }).flatMap(([name, file]) =>
    [0.1, 0.3, 0.5, 0.7, 0.9].map((share) =>
      refused(`${name} cut off at ${share * 100} %`, file.subarray(0, Math.floor(file.length * share))),
    ),
  );
}

function damaged(good: GoodFiles): HostileFile[] {
  const { jpeg, png, webp, lossless, gif } = good;
  let state = 12_345;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
  return Object.entries({ jpeg, png, webp, lossless, gif }).flatMap(([name, file]) =>
    [1, 2, 3, 4].map((round) => {
      const bytes = Buffer.from(file);
      for (let count = 0; count < file.length / 500; count++)
        bytes.writeUInt8(next(256), 12 + next(file.length - 12));
      return either(`${name} with damage ${round}`, bytes);
    }),
  );
}

function metadata(good: GoodFiles): HostileFile[] {
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.alloc(65_000, 0x41)]);
  const icc = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), randomBytes(60_000)]);
  const zeros = deflateSync(Buffer.alloc(100_000_000), { level: 9 });
  const compressedText = Buffer.concat([Buffer.from('Comment\0\x01\0\0\0', 'latin1'), zeros]);
  const texts = Array.from({ length: 10_000 }, (_, index) =>
    parts.pngChunk('tEXt', Buffer.from(`k${index}\0value`)),
  );
  return [
    decoded(
      'JPEG with 20 MB of EXIF',
      parts.withJpegSegments(good.jpeg, ...Array.from({ length: 300 }, () => parts.jpegSegment(0xe1, exif))),
    ),
    either(
      'JPEG with an ICC profile of noise',
      parts.withJpegSegments(good.jpeg, parts.jpegSegment(0xe2, icc)),
    ),
    decoded(
      'JPEG with a thousand comments',
      parts.withJpegSegments(
        good.jpeg,
        ...Array.from({ length: 1000 }, () => parts.jpegSegment(0xfe, Buffer.alloc(1000, 0x20))),
      ),
    ),
    either(
      'PNG with compressed text of 100 MB',
      parts.withPngChunks(good.png, parts.pngChunk('iTXt', compressedText)),
    ),
    either(
      'PNG with zTXt of 100 MB',
      parts.withPngChunks(
        good.png,
        parts.pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), zeros])),
      ),
    ),
    either(
      'PNG with an ICC profile of 100 MB',
      parts.withPngChunks(good.png, parts.pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), zeros]))),
    ),
    either('PNG with 10,000 texts', parts.withPngChunks(good.png, ...texts)),
    either(
      'PNG with EXIF of noise',
      parts.withPngChunks(good.png, parts.pngChunk('eXIf', randomBytes(50_000))),
    ),
    either(
      'WebP with EXIF and ICC of noise',
      parts.webp(
        parts.webpCanvas(0x28, 320, 240),
        parts.webpChunk('ICCP', randomBytes(10_000)),
        good.webp.subarray(12),
        parts.webpChunk('EXIF', randomBytes(10_000)),
      ),
    ),
  ];
}

/** The content after the image in polyglots; the cleaned image must not have it. */
export const polyglotTail = '<script>alert(1)</script><?php system($_GET["x"]); ?>PK\x03\x04';

function polyglots(good: GoodFiles): HostileFile[] {
  const tail = Buffer.from(polyglotTail, 'latin1');
  const { jpeg, png, webp, gif } = good;
  const appended = Object.entries({ jpeg, png, webp, gif }).map(([name, file]) =>
    decoded(`${name} with HTML, PHP and ZIP behind it`, Buffer.concat([file, tail])),
  );
  return [
    ...appended,
    decoded('JPEG with PHP in a comment', parts.withJpegSegments(jpeg, parts.jpegSegment(0xfe, tail))),
    decoded(
      'PNG with HTML in a text',
      parts.withPngChunks(png, parts.pngChunk('tEXt', Buffer.concat([Buffer.from('Title\0'), tail]))),
    ),
    refused('GIF that is JavaScript', Buffer.from('GIF89a/*aaaaaaa*/=1;alert(1)//')),
    refused('HTML before a PNG', Buffer.concat([tail, png])),
  ];
}

function otherFormats(good: GoodFiles): HostileFile[] {
  const eicar = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`;
  const texts: Record<string, string> = {
    PDF: '%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj',
    PostScript: '%!PS-Adobe-3.0\n(/etc/passwd) (r) file',
    MVG: 'push graphic-context\nviewbox 0 0 640 480\nfill url(https://127.0.0.1/x|ls)',
    MSL: '<?xml version="1.0"?><image><read filename="/etc/passwd"/></image>',
    PSD: '8BPS\0\x01\0\0\0\0\0\0',
    HTML: '<!doctype html><img src=x onerror=alert(1)>',
    ZIP: 'PK\x03\x04\x14\0\0\0\x08\0',
    EXE: 'MZ\x90\0\x03\0\0\0',
    ELF: '\x7fELF\x02\x01\x01\0',
    EICAR: eicar,
    'plain text': 'hello, this is no image at all',
    BMP: 'BM\x36\0\0\0\0\0\0\0\x36\0\0\0',
    ICO: '\0\0\x01\0\x01\0\x10\x10\0\0',
    PPM: 'P6 100000 100000 255\n',
    'Radiance HDR': '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n',
    FITS: 'SIMPLE  =                    T',
    'JPEG 2000': '\0\0\0\x0cjP  \r\n\x87\n',
    'JPEG XL': '\xff\x0a\xfa\x7f\x01\x90',
    OpenEXR: '\x76\x2f\x31\x01\x02\0\0\0',
    vips: '\xb6\xa6\xf2\x08\0\0\0\0',
    CSV: '1,2,3\n4,5,6\n',
    AVI: 'RIFF\x10\0\0\0AVI LIST',
    WAV: 'RIFF\x10\0\0\0WAVEfmt ',
  };
  const heic = Buffer.concat([
    parts.box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')),
    parts.box(
      'moov',
      parts.box(
        'trak',
        parts.box(
          'stsc',
          Buffer.alloc(4),
          parts.uint32(1),
          parts.uint32(1),
          parts.uint32(0),
          parts.uint32(1),
        ),
      ),
    ),
  ]);
  return [
    ...Object.entries(texts).map(([name, text]) => refused(name, Buffer.from(text, 'latin1'))),
    refused('HEIF with no samples in a chunk', heic),
    refused('AVIF', good.avif),
    refused('TIFF', good.tiff),
    refused('TIFF of 10,000 directories', parts.tiffDirectories(10_000)),
    refused('zeros', Buffer.alloc(100_000)),
    refused('noise', Buffer.concat([Buffer.from('x'), randomBytes(100_000)])),
  ];
}

function vectors(): HostileFile[] {
  const svg = (body: string, size = 100) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${body}</svg>`;
  const laughs = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  ).join('');
  const texts = {
    SVG: svg('<rect width="9" height="9"/>'),
    'SVG that reads a file': svg('<image href="file:///etc/passwd" width="9" height="9"/>'),
    'SVG with an external entity': `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`,
    'SVG of a billion laughs': `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]>${svg('<text>&l9;</text>')}`,
    'SVG of 32,000 pixels': svg('<rect width="9" height="9"/>', 32_000),
    'SVG behind an XML header': `<?xml version="1.0"?>${svg('')}`,
  };
  return [
    ...Object.entries(texts).map(([name, text]) => refused(name, Buffer.from(text))),
    refused('compressed SVG', gzipSync(Buffer.from(svg('')))),
  ];
}

const refused = (name: string, bytes: Buffer): HostileFile => ({ name, bytes, expect: 'refused' });
const decoded = (name: string, bytes: Buffer): HostileFile => ({ name, bytes, expect: 'decoded' });
const either = (name: string, bytes: Buffer): HostileFile => ({ name, bytes, expect: 'either' });
