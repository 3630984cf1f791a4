import { dirname, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vite';
import { root } from './pack-folder.ts';

/** The folder of all code in the package, one level below its root. */
export const codeFolder = 'lib';

/**
 * Replaces paths that sources derive from `import.meta`, because the package has all its code in one folder. Bundles
 * each script of a thread or child process into its own file. Files that are not code keep their path from the root.
 */
export function ownPlaces(): Plugin {
  return {
    name: 'own-places',
    enforce: 'pre',
    transform(code, id) {
      const path = relative(root, id).split(sep).join('/');
      if (!/^(cli|server|sketch)\/(src|faults)\/.*\.ts$/.test(path) || !code.includes('import.meta.'))
        return undefined;
      let unknown = code.split('import.meta.url').length - 1;
      const moved = code
        .replaceAll(scripts, (_all, before, name, after) => {
          unknown -= 1;
          const script = resolve(dirname(id), `${name}.ts`);
          this.emitFile({ type: 'chunk', id: script, fileName: `${codeFolder}/${name}.js` });
          return `${before}${name}.js${after}`;
        })
        .replaceAll(
          'import.meta.dirname',
          `(import.meta.dirname + ${JSON.stringify(`/../${dirname(path)}`)})`,
        );
      if (unknown > 0)
        throw new Error(`${path} uses import.meta.url in a way that the package does not know`);
      return moved;
    },
  };
}

/** Matches `new URL('./child.ts', import.meta.url)` and `createRequire(import.meta.url)('./file.ts')`. */
const scripts = /(new URL\('\.\/|createRequire\(import\.meta\.url\)\(\s*'\.\/)([\w-]+)\.ts(')/g;
