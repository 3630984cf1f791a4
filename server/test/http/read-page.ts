export function sectionsOf(html: string): string[] {
  return html.match(/<section class="operation"[\s\S]*?<\/section>/g) ?? [];
}

export function headingOf(section: string): string {
  return /<h3[^>]*>([\s\S]*?)<\/h3>/.exec(section)?.[1] ?? '';
}

export function codeBlocksOf(html: string): string[] {
  return [...html.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, code = '']) => unescaped(code));
}

export function plain(html: string): string {
  return unescaped(html).replace(/\s+/g, ' ').trim();
}

function unescaped(html: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}

export function colours(block: string): Record<string, string> {
  return Object.fromEntries(
    [...block.matchAll(/--(\w+): #([0-9a-f]{6})/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** The contrast as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
