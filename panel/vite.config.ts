import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { inApp, preloaded, translated } from './words/words-plugin.ts';

// `npm run dev -w panel` serves the pages, and forwards calls to a server as if they came from the server's own pages.
const server = process.env.DARKROOM_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  // The server replaces this placeholder with a new nonce in each answer (`server/src/web/panel/panel-pages.ts`).
  html: { cspNonce: 'NONCE-OF-THIS-ANSWER' },
  plugins: [translated(), react(), preloaded(), compressed()],
  build: {
    // Assets stay files, because the content security policy allows `data:` only for images.
    assetsInlineLimit: 0,
    // React, the router, queries and components are 142 kB when sent, but Vite compares uncompressed sizes.
    chunkSizeWarningLimit: 600,
    // The policy refuses inline scripts, and every browser that can show the panel preloads modules.
    modulePreload: { polyfill: false },
    // The shared code is in two files: what every page uses, and what several pages use. Both load in parallel with the
    // first script. If there were more and smaller files, the browser would discover them only after that script has
    // run. Components' styles override the general styles, so both are in one file.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // This file loads before all others, because they translate their tables as they load.
            { name: 'language', test: /src\/languages\/language\.ts|vite\/preload-helper/, priority: 1 },
            {
              name: 'base',
              test: /node_modules\/@mantine\/.*\.css|panel\/src\/(ui\/|mantine\.ts|styles\.css)/,
            },
            { name: 'shared', minShareCount: 4 },
            { name: inApp },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/panel/', '/api/', '/images/', '/docs'].map((path) => [
        path,
        { target: server, headers: { origin: server } },
      ]),
    ),
  },
});

/** Compresses each file once, so that the server need not do so at every request. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css|html|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const file = join(dir, name);
          const content = await readFile(file);
          await writeFile(`${file}.br`, await promisify(brotliCompress)(content));
          await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}
