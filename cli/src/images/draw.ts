import { type Pixels, readPng, shrink, writePng } from './png.ts';

export const protocols = ['kitty', 'iterm2', 'sixel'] as const;
export type Protocol = (typeof protocols)[number];

/** Finds the protocol by which the environment's terminal shows images; undefined if it shows none. */
export function findProtocol(env: NodeJS.ProcessEnv): Protocol | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL } = env;
  // tmux and screen pass their terminal's variables to programs, but do not pass images to the terminal.
  if (env.TMUX || env.STY) return undefined;
  if (env.KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (/^(iTerm\.app|WezTerm)$/.test(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2') return 'iterm2';
  const konsole = Number(env.KONSOLE_VERSION ?? 0);
  if (/^(foot|mlterm|contour)|sixel/.test(TERM) || konsole >= firstKonsole) return 'sixel';
  return undefined;
}

const firstKonsole = 220_400;
const width = 640;
/** The width of an image, for terminals that measure in characters. */
const columns = 60;

/** Returns the bytes that show this PNG in a terminal; undefined for a file that cannot be read. */
export function draw(file: Buffer, protocol: Protocol): string | undefined {
  const pixels = readPng(file);
  if (!pixels) return undefined;
  const small = shrink(pixels, width);
  return { kitty, iterm2, sixel }[protocol](small);
}

/**
 * Writes a PNG as Base64 in pieces. A flag on every piece except the last says that more follow:
 * https://sw.kovidgoyal.net/kitty/graphics-protocol/
 */
function kitty(pixels: Pixels): string {
  const pieces =
    writePng(pixels)
      .toString('base64')
      .match(/.{1,4096}/g) ?? [];
  const first = `a=T,f=100,q=2,c=${columns},`;
  return `${pieces
    .map((piece, at) => `\x1b_G${at === 0 ? first : ''}m=${at < pieces.length - 1 ? 1 : 0};${piece}\x1b\\`)
    .join('')}\n`;
}

/** https://iterm2.com/documentation-images.html */
function iterm2(pixels: Pixels): string {
  const bytes = writePng(pixels);
  return `\x1b]1337;File=inline=1;size=${bytes.length};width=${columns};preserveAspectRatio=1:${bytes.toString('base64')}\x07\n`;
}

const levels = 6;
/** A dither pattern, which hides the steps between the few colours, so that skies show no bands. */
const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/** Writes DEC's sixels with 216 colours, in bands of six rows. A band has one line for each colour in it. */
function sixel({ width, height, rgb }: Pixels): string {
  const indices = new Uint8Array(width * height);
  for (let at = 0; at < indices.length; at++) {
    const threshold = ((bayer[(Math.floor(at / width) % 4) * 4 + ((at % width) % 4)] ?? 0) + 0.5) / 16;
    let index = 0;
    for (let channel = 0; channel < 3; channel++)
      index = index * levels + Math.floor(((rgb[at * 3 + channel] ?? 0) / 255) * (levels - 1) + threshold);
    indices[at] = index;
  }
  const palette = Array.from({ length: levels ** 3 }, (_, index) => {
    const [red, green, blue] = [36, 6, 1].map(
      (step) => (Math.floor(index / step) % levels) * (100 / (levels - 1)),
    );
    return `#${index};2;${red};${green};${blue}`;
  });
  let text = `\x1bPq"1;1;${width};${height}${palette.join('')}`;
  for (let top = 0; top < height; top += 6)
    text += `${band(indices, width, top, Math.min(6, height - top))}-`;
  return `${text}\x1b\\\n`;
}

function band(indices: Uint8Array, width: number, top: number, rows: number): string {
  const colours = new Map<number, Uint8Array>();
  for (let row = 0; row < rows; row++)
    for (let x = 0; x < width; x++) {
      const index = indices[(top + row) * width + x] ?? 0;
      const bits = colours.get(index) ?? new Uint8Array(width);
      colours.set(index, bits);
      bits[x] = (bits[x] ?? 0) | (1 << row);
    }
  return [...colours].map(([index, bits]) => `#${index}${runs(bits)}`).join('$');
}

function runs(bits: Uint8Array): string {
  let text = '';
  for (let x = 0; x < bits.length; ) {
    let end = x + 1;
    while (end < bits.length && bits[end] === bits[x]) end++;
    const sign = String.fromCharCode(63 + (bits[x] ?? 0));
    text += end - x > 3 ? `!${end - x}${sign}` : sign.repeat(end - x);
    x = end;
  }
  return text;
}
