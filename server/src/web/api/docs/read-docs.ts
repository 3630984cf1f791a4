import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { originPlaceholder } from '../reference/origin.ts';
import { changelogFile, pathOf, type Section } from './contents.ts';
import { type Block, plainText, readMarkdown, spansOf } from './markdown.ts';

/** The root of the clone or of the package. Both have the documents in the same places. */
const root = join(import.meta.dirname, '../../../../..');

export interface Page {
  /** `/docs/guides/sdk` */
  path: string;
  /** `docs/guides/sdk.md` */
  file: string;
  section: Section | undefined;
  /** The page that lists this page, if the navigation does not. */
  parent: string | undefined;
  title: string;
  about: string;
  markdown: string;
  blocks: Block[];
}

export interface Docs {
  sections: readonly Section[];
  pages: Page[];
  byFile: ReadonlyMap<string, Page>;
}

export async function readDocs(sections: readonly Section[]): Promise<Docs> {
  const wanted = sections.flatMap((section) => [
    ...section.files.map((file) => ({ section, file, parent: undefined })),
    ...(section.folders ?? []).flatMap(({ index, files }) => [
      { section, file: index, parent: undefined },
      ...files.map((file) => ({ section, file, parent: pathOf(section, index) })),
    ]),
  ]);
  const pages = await Promise.all(wanted.map(({ section, file, parent }) => readPage(section, file, parent)));
  pages.push(await readPage(undefined, changelogFile, undefined));
  return { sections, pages, byFile: new Map(pages.map((page) => [page.file, page])) };
}

async function readPage(
  section: Section | undefined,
  name: string,
  parent: string | undefined,
): Promise<Page> {
  const file = `${name}.md`;
  const source = await readFile(join(root, file), 'utf8');
  // Authors write one of these addresses. Pages show the server's own address instead.
  const markdown = source.replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1):3000/g, originPlaceholder);
  const blocks = readMarkdown(markdown);
  const title = blocks.find((block) => block.kind === 'heading');
  const first = blocks.find((block) => block.kind === 'paragraph');
  return {
    path: section ? pathOf(section, name) : '/docs/changelog',
    file,
    section,
    parent,
    title: plainText(title?.kind === 'heading' ? title.text : name),
    about: firstSentence(plainText(first?.kind === 'paragraph' ? first.text : '')),
    markdown,
    blocks,
  };
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/** Returns the address for a link's target; undefined for a file that is only in the repository. */
export function resolveLink(docs: Docs, page: Page, target: string): string | undefined {
  if (/^(https?:|\/)/.test(target)) return target;
  if (target.startsWith('#')) return page.path + target;
  const [name = '', anchor] = target.split('#');
  const file = posix.join(posix.dirname(page.file), name);
  if (isImage.test(file)) return `/${file}`;
  const found = docs.byFile.get(file);
  return found && `${found.path}${anchor === undefined ? '' : `#${anchor}`}`;
}

const isImage = /^docs\/panel\/[\w-]+\.png$/;

/** The images that pages show. The folder's other images are for readers of the repository. */
export function shownImages({ pages }: Docs): ReadonlySet<string> {
  const files = pages.flatMap(({ file, blocks }) =>
    blocks
      .flatMap((block) => (block.kind === 'paragraph' ? spansOf(block.text) : []))
      .flatMap((span) => (span.kind === 'image' ? [posix.join(posix.dirname(file), span.target)] : [])),
  );
  return new Set(files.filter((file) => isImage.test(file)));
}

export function readImage(file: string): Promise<Buffer> {
  return readFile(join(root, file));
}
