import type { AnswerOptions } from '../send-images.ts';

export interface LineAnswer {
  customId: string;
  options: AnswerOptions;
}

/** Most lines have the same options, which are written once. */
export function writeAnswers(lines: readonly LineAnswer[]): string {
  const ways = new Map<string, number>();
  const written = lines.map(({ customId, options }) => {
    const way = JSON.stringify(options);
    const at = ways.get(way) ?? ways.size;
    ways.set(way, at);
    return [customId, at];
  });
  return `{"ways":[${[...ways.keys()].join()}],"lines":${JSON.stringify(written)}}`;
}

export function readAnswers(text: string): LineAnswer[] {
  const { ways, lines } = JSON.parse(text) as { ways: AnswerOptions[]; lines: [string, number][] }; // as written above
  return lines.map(([customId, way]) => ({ customId, options: ways[way] as AnswerOptions }));
}
