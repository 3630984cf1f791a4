/** JSON escapes within base64. .NET escapes `+`, PHP escapes `/`, and some servers break lines. */
const escapes = /\\(?:u00([0-9a-f]{2})|(.))/gi;
const cutEscape = /\\(?:u[0-9a-f]{0,3})?$/i;

export class Base64Decoder {
  #buffer: Buffer;
  #length = 0;
  /** Characters kept for the next piece: fewer than four, or the start of an escape. */
  #carried = '';

  /** @param letters the base64's length, or more: memory that is never written takes no space */
  constructor(letters: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytesOf(letters));
  }

  write(piece: string): void {
    let text = this.#carried + piece;
    let cut = '';
    if (text.includes('\\')) {
      cut = cutEscape.exec(text)?.[0] ?? '';
      text = text.slice(0, text.length - cut.length).replaceAll(escapes, unescapeOne);
    }
    const whole = text.length - (text.length % 4);
    this.#append(text.slice(0, whole));
    this.#carried = text.slice(whole) + cut;
  }

  get bytes(): Buffer {
    this.#append(this.#carried);
    this.#carried = '';
    return this.#buffer.subarray(0, this.#length);
  }

  #append(letters: string): void {
    const needed = this.#length + bytesOf(letters.length);
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#length += this.#buffer.write(letters, this.#length, 'base64');
  }
}

function bytesOf(letters: number): number {
  return Math.ceil(letters / 4) * 3;
}

function unescapeOne(_all: string, code: string | undefined, letter = ''): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return letter === '/' ? '/' : '';
}
