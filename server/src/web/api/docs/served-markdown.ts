import { originPlaceholder } from '../reference/origin.ts';
import { type Docs, type Page, resolveLink } from './read-docs.ts';

/** Makes Markdown self-contained: examples have this server's address, and links are absolute. */
export function servedMarkdown(page: Page, docs: Docs, publicUrl: string): string {
  const paths = new Set(docs.pages.map(({ path }) => path));
  return page.markdown
    .split(/(^```[\s\S]*?^```$)/m) // every second part is code, whose brackets are not links
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replace(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_all, label: string, target: string) => {
            const link = resolveLink(docs, page, target);
            if (link === undefined) return label;
            const [path = '', anchor] = link.split('#');
            if (!link.startsWith('/')) return `[${label}](${link})`;
            return `[${label}](${publicUrl}${path}${paths.has(path) ? '.md' : ''}${anchor === undefined ? '' : `#${anchor}`})`;
          }),
    )
    .join('')
    .replaceAll(originPlaceholder, publicUrl);
}

/** Joins all pages except the changelog into one document. */
export function wholeMarkdown(docs: Docs, publicUrl: string): string {
  return docs.pages
    .filter(({ section }) => section !== undefined)
    .map((page) => `<!-- ${publicUrl}${page.path} -->\n\n${servedMarkdown(page, docs, publicUrl).trim()}\n`)
    .join('\n');
}

export function linksToPages({ pages }: Docs, publicUrl: string): string {
  return pages.map(({ title, path, about }) => `- [${title}](${publicUrl}${path}.md): ${about}`).join('\n');
}
