import { createHash } from 'node:crypto';
import sharp from 'sharp';

type Random = () => number;

/** Kinds of images that upstreams and strangers make. A scene's name determines what it shows. */
const kinds: Record<string, (random: Random, side: number) => Promise<Buffer>> = {
  noise: drawNoise,
  gradients: (random, side) => render(gradient(random), side),
  shapes: (random, side) => render(gradient(random) + times(3 + random() * 20, () => shape(random)), side),
  landscape: (random, side) => render(landscape(random), side),
  stripes: (random, side) => render(stripes(random), side),
  page: (random, side) => render(page(random), side),
};
export const sceneKinds = Object.keys(kinds);

export async function drawScene(name: string, side: number, kind?: string): Promise<Buffer> {
  const random = randomOf(name);
  const chosen = kind ?? sceneKinds[Math.floor(random() * sceneKinds.length)] ?? '';
  const draw = kinds[chosen];
  if (!draw) throw new Error(`there is no scene ${chosen}`);
  return draw(random, side);
}

export function randomOf(name: string): Random {
  let block = createHash('sha256').update(name).digest();
  let at = 0;
  return () => {
    if (at === block.length) {
      block = createHash('sha256').update(block).digest();
      at = 0;
    }
    at += 4;
    return block.readUInt32BE(at - 4) / 2 ** 32;
  };
}

async function drawNoise(random: Random, side: number): Promise<Buffer> {
  const field = async (cells: number) => {
    const raw = { width: cells, height: cells, channels: 3 } as const;
    const values = Buffer.from(Array.from({ length: cells * cells * 3 }, () => random() * 256));
    return sharp(values, { raw })
      .resize({ width: side, height: side, fit: 'fill', kernel: 'cubic' })
      .removeAlpha();
  };
  const base = await field(3 + Math.floor(random() * 6));
  const finer = [];
  for (const [cells, opacity] of [
    [12, 0.35],
    [32, 0.2],
  ] as const)
    finer.push({ input: await (await field(cells)).ensureAlpha(opacity).png().toBuffer() });
  return sharp(await base.png({ compressionLevel: 0 }).toBuffer())
    .composite(finer)
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
}

function render(inside: string, side: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="${side}" height="${side}">${inside}</svg>`;
  return sharp(Buffer.from(svg)).flatten({ background: 'white' }).png({ compressionLevel: 1 }).toBuffer();
}

function gradient(random: Random): string {
  const stops = times(2 + random() * 3, (part) => `<stop offset="${part}" stop-color="${colour(random)}"/>`);
  const spot = () => (random() * 100).toFixed(1);
  const kind =
    random() < 0.5
      ? `<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="${spot()}" y1="${spot()}" x2="${spot()}" y2="${spot()}">${stops}</linearGradient>`
      : `<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="${spot()}" cy="${spot()}" r="${20 + random() * 80}">${stops}</radialGradient>`;
  return `<defs>${kind}</defs><rect width="100" height="100" fill="url(#g)"/>`;
}

function shape(random: Random): string {
  const [x, y, size] = [random() * 100, random() * 100, 3 + random() * 25];
  const look = `fill="${colour(random)}" fill-opacity="${0.4 + random() * 0.6}"`;
  const kind = random();
  if (kind < 0.4)
    return `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${size * (0.3 + random())}" ${look}/>`;
  if (kind < 0.7)
    return `<rect x="${x}" y="${y}" width="${size}" height="${size * random() * 2}" transform="rotate(${random() * 90} ${x} ${y})" ${look}/>`;
  const points = times(5, () => `${x + (random() - 0.5) * size * 2},${y + (random() - 0.5) * size * 2} `);
  return `<polygon points="${points}" ${look}/>`;
}

function landscape(random: Random): string {
  const hills = times(3 + random() * 3, (part) => {
    const base = 40 + part * 50;
    const tops = times(8, (at) => `L${at * 110} ${base + (random() - 0.7) * 30} `);
    return `<path d="M0 100 L0 ${base} ${tops} L110 100 Z" fill="${colour(random)}"/>`;
  });
  const sun = `<circle cx="${random() * 100}" cy="${random() * 40}" r="${3 + random() * 10}" fill="${colour(random)}"/>`;
  return `${gradient(random)}${sun}${hills}${times(random() * 6, () => shape(random))}`;
}

function stripes(random: Random): string {
  const width = 2 + random() * 12;
  const lines = times(160 / width, (part) => {
    const x = part * 160 - 30;
    return `<rect x="${x}" y="-40" width="${width * (0.2 + random() * 0.7)}" height="180" fill="${colour(random)}"/>`;
  });
  return `${gradient(random)}<g transform="rotate(${random() * 180} 50 50)">${lines}</g>`;
}

/** Draws lines of words on paper. Pages resemble each other more than images of any other kind do. */
function page(random: Random): string {
  const height = 2 + random() * 3;
  const lines = times(80 / (height * 1.8), (part) => {
    const words = times(3 + random() * 5, (at) => {
      const x = 8 + at * 80;
      return `<rect x="${x}" y="${8 + part * 80}" width="${4 + random() * 9}" height="${height * 0.7}" fill="#222"/>`;
    });
    return random() < 0.15 ? '' : words;
  });
  return `<rect width="100" height="100" fill="#fdfcf8"/>${lines}${random() < 0.5 ? shape(random) : ''}`;
}

function times(count: number, draw: (part: number) => string): string {
  const whole = Math.max(1, Math.round(count));
  return Array.from({ length: whole }, (_, at) => draw(at / Math.max(1, whole - 1))).join('');
}

function colour(random: Random): string {
  return `hsl(${Math.floor(random() * 360)} ${Math.floor(20 + random() * 80)}% ${Math.floor(10 + random() * 80)}%)`;
}
