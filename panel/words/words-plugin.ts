import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { compileWords } from './compile-words.ts';

const source = resolve(import.meta.dirname, '../src');
const runtime = resolve(source, 'languages/words.ts');

export function translated(): Plugin {
  return {
    name: 'translated',
    enforce: 'pre',
    transform: {
      filter: { id: /panel\/src\/(?!languages\/).*\.tsx?$/ },
      handler: (code, id) => ({ code: compileWords(id, code, runtime).code, map: null }),
    },
  };
}

/**
 * Makes the browser preload the app's files. Without this, it would find them late, because the first script loads the
 * translations before the app.
 */
export function preloaded(): Plugin {
  return {
    name: 'preloaded',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, chunk }) {
        const seen = new Set<string>();
        const files: string[] = [];
        // Imported files come first, because the files that import them must be able to override their styles.
        const add = (name: string) => {
          const one = bundle[name];
          if (seen.has(name) || one?.type !== 'chunk') return;
          seen.add(name);
          for (const next of one.imports) add(next);
          files.push(name, ...(one.viteMetadata?.importedCss ?? []));
        };
        const app = chunk?.dynamicImports.find((name) => /\/app-/.test(name));
        if (!app) throw new Error('the first script does not load the panel');
        add(app);
        return files
          .filter((name) => !html.includes(name))
          .map((name) => ({
            tag: 'link',
            injectTo: 'head' as const,
            attrs: {
              rel: name.endsWith('.css') ? 'stylesheet' : 'modulepreload',
              crossorigin: '',
              href: `/${name}`,
            },
          }));
      },
    },
  };
}

interface Modules {
  getModuleInfo(id: string): { importers: readonly string[] } | null;
}

/**
 * Returns `app` for each of our files that every page needs, because `app.tsx` imports it directly or through others.
 * Returns null for other files. Files that an earlier group has taken stay there.
 */
export function inApp(id: string, modules: Modules): string | null {
  const seen = new Set<string>();
  const isIn = (one: string): boolean => {
    if (one.endsWith('/src/app.tsx')) return true;
    if (seen.has(one) || !one.startsWith(source)) return false;
    seen.add(one);
    return modules.getModuleInfo(one)?.importers.some(isIn) ?? false;
  };
  return isIn(id) ? 'app' : null;
}
