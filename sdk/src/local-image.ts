/**
 * An image to start from. A string or `URL` that begins with `http://` or `https://` is sent unchanged; local images
 * are uploaded. Where there is a file system, other strings are paths, and `file:` URLs are files.
 */
export type InputImage = string | URL | Blob | Uint8Array;

export function remoteUrl(image: InputImage): string | undefined {
  if (image instanceof URL) return image.protocol === 'file:' ? undefined : image.href;
  return typeof image === 'string' && /^https?:\/\//i.test(image) ? image : undefined;
}

export async function readImage(image: InputImage): Promise<Blob | Uint8Array> {
  if (typeof image !== 'string' && !(image instanceof URL)) return image;
  const { readFile } = await fileSystem(image);
  return readFile(image);
}

/** What we use of `node:fs/promises`. Programs that use the package may lack the types of Node. */
interface FileSystem {
  readFile(path: string | URL): Promise<Uint8Array>;
}

async function fileSystem(image: string | URL): Promise<FileSystem> {
  // The name is not a literal in `import`, so that bundlers for browsers do not try to resolve it.
  const name = 'node:fs/promises';
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  } catch {
    throw new TypeError(`There is no file system here to read ${image} from. Pass a Blob or a File.`);
  }
}
