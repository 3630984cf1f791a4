import { maxReadLength, wordsOf } from './scene/read-scene.ts';

export function suggestRatio(prompt: string): string | undefined {
  const words = new Set(wordsOf(prompt.slice(0, maxReadLength)));
  return opinions.find(([, named]) => named.some((word) => words.has(word)))?.[0];
}

/** The first match decides, so words about the format precede words about the subject. */
const opinions: readonly (readonly [ratio: string, words: readonly string[]])[] = [
  ['21:9', ['panorama', 'panoramic', 'cinematic', 'ultrawide', 'widescreen']],
  ['8:1', ['frieze']],
  ['9:16', ['wallpaper-phone', 'phone', 'smartphone', 'story', 'reel']],
  ['1:1', ['icon', 'logo', 'avatar', 'sticker', 'emblem', 'album', 'square']],
  ['4:1', ['banner', 'header']],
  ['2:3', ['poster', 'tower', 'skyscraper', 'waterfall', 'giraffe', 'rocket', 'cover']],
  [
    '3:4',
    ['portrait', 'lighthouse', 'bouquet', 'vase', 'castle', 'tree', 'balloon', 'person', 'woman', 'man'],
  ],
  ['16:9', ['skyline', 'landscape', 'horizon', 'cityscape', 'seascape', 'desert', 'wallpaper', 'valley']],
  ['3:2', ['mountain', 'lake', 'beach', 'sea', 'ocean', 'river', 'forest', 'photo', 'photograph']],
];
