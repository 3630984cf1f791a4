import { createHash, randomBytes } from 'node:crypto';

// Crockford's base 32, which omits letters that look like digits or other letters.
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const bits = 128;
const valueLength = Math.ceil(bits / 5);
const checkLength = 2;
const groupLength = 4;

/** Creates a code of 128 random bits and ten check bits: `6M3S-…`, seven groups of four characters. */
export function newVoucherCode(): string {
  const value = encode(BigInt(`0x${randomBytes(bits / 8).toString('hex')}`), valueLength);
  return group(value + checkOf(value));
}

/** Reads a code as typed by a person; undefined if the text is not a code. */
export function readVoucherCode(typed: string): string | undefined {
  const code = typed
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  const value = code.slice(0, valueLength);
  const isCode = code.length === valueLength + checkLength && code === value + checkOf(value);
  return isCode ? group(code) : undefined;
}

/** Hashes a code, without salt because 128 random bits cannot be guessed. */
export function hashOfVoucher(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

function checkOf(value: string): string {
  const number = createHash('sha256').update(value).digest().readUInt16BE();
  return encode(BigInt(number % digits.length ** checkLength), checkLength);
}

function encode(number: bigint, length: number): string {
  let text = '';
  for (let left = number; text.length < length; left /= 32n) text = digits.charAt(Number(left % 32n)) + text;
  return text;
}

function group(code: string): string {
  return code.match(new RegExp(`.{${groupLength}}`, 'g'))?.join('-') ?? code;
}
