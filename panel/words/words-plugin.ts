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

/** Preloads the app, which the browser would find late, because the first script loads the translations before it. */
export function preloaded(): Plugin {
  return {
    name: 'preloaded',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, chunk }) {
        const seen = new Set<string>();
        const files: string[] = [];
        // Imported files come first, because their styles must be overridable.
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

/** Returns the group of a file. One group has every file of ours that all pages need, unless another group has it. */
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
