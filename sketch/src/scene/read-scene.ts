import { namedColours } from '../colour.ts';
import { type Random, randomFrom } from '../random.ts';
import type { Feature, Scene, Subject, Time } from './scene.ts';
import { featureWords, numberWords, subjectWords, timeWords } from './vocabulary.ts';

/** Reads a prompt from which directives were removed. Pure: the same prompt and seed give the same scene. */
export function readScene(prompt: string, seed?: string): Scene {
  return read(prompt, seed, settle, () => true);
}

/** Reads only what the prompt adds to an existing image: "a cat", but not "the cat", which is in the image already. */
export function readAdditions(prompt: string, seed?: string): Scene {
  return read(prompt, seed, () => {}, isAdded);
}

function read(
  text: string,
  wantedSeed: string | undefined,
  complete: typeof settle,
  isMeant: typeof isAdded,
): Scene {
  const prompt = text.trim().replace(/\s+/g, ' ').slice(0, maxReadLength);
  const seed = wantedSeed ?? prompt;
  const random = randomFrom(`${seed}/scene`);
  const lettering = quoted(prompt);
  const words = wordsOf(lettering ? prompt.replace(lettering, ' ') : prompt);
  const features = new Set(words.flatMap((word) => featureWords.get(word) ?? []));
  const { subjects, boundColours } = readSubjects(words, isMeant);
  const colours = words.filter((word, index) => colourOf(word) && !boundColours.has(index));
  const named = words.flatMap((word) => timeWords.get(word) ?? []);
  complete(features, subjects, random);
  const time = chooseTime(named, features, random);
  return { prompt, seed, time, features, subjects, colours, lettering };
}

/** Only this many characters of a prompt are read, because the subject comes first. */
export const maxReadLength = 4000;
const maxLetters = 120;
const maxSubjects = 6;

export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/golden hour/g, 'golden-hour')
    .replace(/(northern|polar) lights?/g, 'northern-lights')
    .split(/[^\p{L}\d-]+/u)
    .filter(Boolean)
    .map(singular);
}

export function quoted(text: string): string | undefined {
  // Quotations contain no opening mark, so the pattern scans only to the next mark, not to the end of the text.
  const found = /["“«]([^"“”«»]+)["”»]|(?:^|\s)'([^']{2,})'(?=\s|[.,!?]|$)/u.exec(text);
  return (found?.[1] ?? found?.[2])?.trim().slice(0, maxLetters) || undefined;
}

function singular(word: string): string {
  if (isKnown(word)) return word;
  const candidates = [word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
  return candidates.find(isKnown) ?? word;
}

function isKnown(word: string): boolean {
  return featureWords.has(word) || subjectWords.has(word) || timeWords.has(word);
}

function colourOf(word: string): boolean {
  return Object.hasOwn(namedColours, word);
}

/** Reads the subjects. A colour up to two words before a subject belongs to it, as in "a red wooden boat". */
function readSubjects(
  words: readonly string[],
  isMeant: typeof isAdded,
): { subjects: Subject[]; boundColours: Set<number> } {
  const boundColours = new Set<number>();
  const subjects: Subject[] = [];
  words.forEach((word, index) => {
    if (word === 'tree' && treeKinds.has(words[index - 1] ?? '')) return;
    for (const kind of subjectWords.get(word) ?? []) {
      if (subjects.some((known) => known.kind === kind) || subjects.length === maxSubjects) continue;
      const before = [index - 1, index - 2];
      const colourAt = before.find((at) => colourOf(words[at] ?? ''));
      if (colourAt !== undefined) boundColours.add(colourAt);
      if (!isMeant(words, index)) continue;
      const count = before
        .map((at) => numberWords[words[at] ?? ''])
        .find((found) => typeof found === 'number');
      subjects.push({
        kind,
        colour: colourAt === undefined ? undefined : words[colourAt],
        count: count ?? 1,
      });
    }
  });
  return { subjects, boundColours };
}

/** Whether the noun at this index is new: it has an article of its own, or no determiner up to three words before it. */
function isAdded(words: readonly string[], index: number): boolean {
  const isDeterminer = (word: string) => [present, kept, added].some((known) => known.has(word));
  const at = words.findLastIndex((word, at) => at < index && at >= index - 3 && isDeterminer(word));
  const [before = '', determiner = ''] = [words[at - 1], words[at]];
  if (kept.has(before) || kept.has(determiner)) return false; // "no fox", "remove a fox"
  if (before === 'add') return true; // "add the fox"
  const isCounted = present.has(before) && Object.hasOwn(numberWords, determiner); // "the two foxes"
  return !present.has(determiner) && !isCounted;
}

const present: ReadonlySet<string> = new Set(
  'the this that these those same my your his her its our their'.split(' '),
);
/** Words after which a subject is not added, whatever article follows. */
const kept: ReadonlySet<string> = new Set(['keep', 'no', 'without', 'remove']);
const added: ReadonlySet<string> = new Set(['a', 'an', 'add', 'another', ...Object.keys(numberWords)]);

/** Words after which "tree" is not another subject, as in "palm tree". */
const treeKinds: ReadonlySet<string> = new Set(['palm', 'pine', 'fir', 'spruce', 'coconut']);

/** Gives subjects ground to stand on. Makes an abstract image of a prompt without a known word. */
function settle(features: Set<Feature>, subjects: readonly Subject[], random: Random): void {
  if (features.has('sea')) features.delete('lake');
  if (features.has('beach')) features.add('sea');
  if (features.has('shapes') && features.has('sea')) features.add('waves').delete('shapes');
  if (features.has('shapes') || features.has('waves')) return;
  const waterfront = features.has('city') && !landsides.some((ground) => features.has(ground));
  if (waterfront && random.chance(0.85)) features.add('lake');
  if (grounds.some((ground) => features.has(ground))) return;
  const known = subjects.length > 0 || features.size > 0;
  if (!known && random.chance(0.55)) {
    features.add(random.chance(0.6) ? 'shapes' : 'waves');
    return;
  }
  for (const feature of random.pick(known ? quietGrounds : openGrounds)) features.add(feature);
}

const grounds: readonly Feature[] = [
  'sea',
  'lake',
  'river',
  'mountains',
  'hills',
  'desert',
  'forest',
  'city',
  'village',
];
const landsides: readonly Feature[] = [
  'sea',
  'lake',
  'river',
  'hills',
  'forest',
  'desert',
  'village',
  'flowers',
];
const quietGrounds: readonly [Feature[], ...Feature[][]] = [
  ['hills'],
  ['hills', 'mountains'],
  ['mountains', 'forest'],
  ['hills', 'forest'],
];
const openGrounds: readonly [Feature[], ...Feature[][]] = [
  ['mountains', 'lake', 'forest'],
  ['hills', 'village'],
  ['desert'],
  ['sea', 'birds'],
  ['mountains', 'hills', 'river'],
  ['city', 'river'],
];

function chooseTime(named: readonly Time[], features: ReadonlySet<Feature>, random: Random): Time {
  const [first] = named;
  if (first) return named.includes('night') && first !== 'dusk' ? 'night' : first;
  if (features.has('sun')) return random.pick(['day', 'golden', 'dawn']);
  if (features.has('rainbow')) return 'day';
  return random.pick(['dawn', 'day', 'day', 'golden', 'dusk', 'dusk', 'night']);
}
