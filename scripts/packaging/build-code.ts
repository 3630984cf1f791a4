import { build } from 'vite';
import { oneByte } from './one-byte.ts';
import { codeFolder, ownPlaces } from './own-places.ts';
import { root } from './pack-folder.ts';

/** Packages that npm installs: `sharp` has a part for each system, and few installations ever load `c2pa-wasm`. */
export const notBundled = ['sharp', '@contentauth/c2pa-wasm'];

export async function buildCode(folder: string, programs: Record<string, string>): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: notBundled },
    plugins: [ownPlaces(), oneByte()],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node24',
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        input: programs,
        output: {
          // Removes comments and spaces, but keeps names for logged errors.
          minify: { compress: false, mangle: false },
          entryFileNames: `${codeFolder}/[name].js`,
          chunkFileNames: `${codeFolder}/[name]-[hash].js`,
        },
      },
    },
  });
}
