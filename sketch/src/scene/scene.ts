export interface Scene {
  /** The prompt without directives and with normalised white space. */
  prompt: string;
  /** The seed of all randomness, by default the prompt. */
  seed: string;
  time: Time;
  features: ReadonlySet<Feature>;
  subjects: readonly Subject[];
  /** Colour names that belong to the image, not to a subject, in the order of the prompt. */
  colours: readonly string[];
  /** The text in quotes, which is drawn as a title. */
  lettering: string | undefined;
}

export type Time = 'dawn' | 'day' | 'golden' | 'dusk' | 'night';

export const featureNames = [
  'sun',
  'moon',
  'stars',
  'aurora',
  'clouds',
  'rainbow',
  'rain',
  'snow',
  'fog',
  'storm',
  'sea',
  'lake',
  'river',
  'beach',
  'mountains',
  'hills',
  'desert',
  'forest',
  'city',
  'village',
  'flowers',
  'birds',
  'shapes',
  'waves',
] as const;
export type Feature = (typeof featureNames)[number];

export interface Subject {
  kind: SubjectKind;
  colour: string | undefined;
  /** The number, as in "three boats". Default: 1. */
  count: number;
}

export const subjectNames = [
  'fox',
  'cat',
  'dog',
  'wolf',
  'bear',
  'rabbit',
  'lion',
  'owl',
  'horse',
  'deer',
  'cow',
  'elephant',
  'person',
  'whale',
  'dolphin',
  'fish',
  'boat',
  'ship',
  'lighthouse',
  'tower',
  'castle',
  'windmill',
  'house',
  'tree',
  'palm',
  'cactus',
  'balloon',
  'rocket',
] as const;
export type SubjectKind = (typeof subjectNames)[number];
