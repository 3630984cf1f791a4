import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Loads 9 MB of WebAssembly, which take a quarter of a second and 70 MB of memory. */
export async function openLibrary(): Promise<typeof import('@contentauth/c2pa-wasm')> {
  Object.assign(globalThis, { FileReaderSync: HeldReader });
  const library = await import('@contentauth/c2pa-wasm');
  const code = await readFile(fileURLToPath(import.meta.resolve('@contentauth/c2pa-wasm/c2pa.wasm')));
  await library.default({ module_or_path: code });
  return library;
}

/** A blob that the library can read synchronously, unlike those of Node.js. */
export class HeldFile extends Blob {
  readonly held: Uint8Array;
  override readonly size: number;

  constructor(held: Uint8Array) {
    super([]);
    this.held = held;
    this.size = held.byteLength;
  }

  override slice(start?: number, end?: number): HeldFile {
    return new HeldFile(this.held.subarray(start, end));
  }
}

class HeldReader {
  readAsArrayBuffer({ held }: HeldFile): ArrayBufferLike {
    return held.buffer.slice(held.byteOffset, held.byteOffset + held.byteLength);
  }
}

/** Forbids downloads that a file asks for, and thumbnails in manifests. */
export const libraryRules = {
  verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_after_sign: false },
  builder: { thumbnail: { enabled: false } },
};
