import type { Feature, SubjectKind, Time } from './scene.ts';

/** The tables of all words that `sketch` knows, in the singular. */
export const timeWords = spread<Time>({
  dawn: 'dawn sunrise morning daybreak aurora-dawn',
  day: 'day noon midday sunny daylight afternoon summer bright spring',
  golden: 'autumn fall golden-hour harvest warm',
  dusk: 'dusk sunset evening twilight sundown nightfall synthwave vaporwave',
  night: 'night midnight nocturnal moonlit moonlight starry dark moon star cosmos galaxy space neon',
});

export const featureWords = spread<Feature>({
  sun: 'sun sunny sunset sunrise sundown sunlight synthwave vaporwave',
  moon: 'moon moonlit moonlight crescent',
  stars: 'star starry galaxy milky cosmos space constellation',
  aurora: 'aurora northern-lights polar-lights borealis',
  clouds: 'cloud cloudy overcast cumulus sky heaven',
  rainbow: 'rainbow',
  rain: 'rain rainy drizzle downpour monsoon raining shower',
  snow: 'snow snowy winter snowfall blizzard frost frozen ice icy snowing arctic antarctic christmas',
  fog: 'fog foggy mist misty haze hazy',
  storm: 'storm stormy thunder thunderstorm lightning tempest',
  sea: 'sea ocean wave harbor harbour bay coast coastal marine whale dolphin lighthouse ship sail sailboat island surf tide underwater',
  lake: 'lake pond lagoon reflection boat canoe fjord',
  river: 'river stream creek waterfall valley canal',
  beach: 'beach shore sand seaside tropical palm',
  mountains: 'mountain peak alp alpine himalaya summit fjord volcano everest fuji',
  hills:
    'hill meadow field countryside pasture grassland valley farm vineyard rolling landscape windmill savanna',
  desert: 'desert dune sahara canyon mesa camel cactus oasis wasteland',
  forest: 'forest wood woodland jungle pine fir taiga spruce grove',
  city: 'city skyline skyscraper downtown metropolis town urban tokyo york london paris berlin manhattan street cyberpunk neon building cityscape',
  village: 'village hamlet farm settlement',
  flowers:
    'flower tulip rose poppy daisy bouquet blossom lavender sunflower garden wildflower bloom floral lily meadow orchid',
  birds: 'bird seagull gull flock swallow crow raven goose geese eagle crane',
  shapes: 'abstract geometric geometry shape bauhaus pattern cubist mosaic logo icon',
  waves: 'wave-pattern flow fluid swirl ripple marble dream music texture wallpaper psychedelic silk',
});

export const subjectWords = spread<SubjectKind>({
  fox: 'fox vixen',
  cat: 'cat kitten kitty',
  dog: 'dog puppy hound corgi retriever',
  wolf: 'wolf wolves coyote husky',
  bear: 'bear grizzly panda',
  rabbit: 'rabbit bunny hare',
  lion: 'lion tiger leopard',
  owl: 'owl',
  horse: 'horse pony stallion mare unicorn zebra',
  deer: 'deer stag elk moose reindeer doe',
  cow: 'cow bull cattle buffalo bison sheep',
  elephant: 'elephant mammoth',
  person:
    'person man woman girl boy hiker traveler traveller wanderer people child figure astronaut monk hero',
  whale: 'whale orca',
  dolphin: 'dolphin porpoise',
  fish: 'fish salmon koi',
  boat: 'boat sailboat sail yacht canoe dinghy regatta',
  ship: 'ship ferry steamer liner vessel',
  lighthouse: 'lighthouse beacon',
  tower: 'tower skyscraper spire',
  castle: 'castle fortress palace citadel',
  windmill: 'windmill',
  house: 'house cottage cabin hut barn chalet home',
  tree: 'tree oak maple cherry birch willow',
  palm: 'palm coconut tropical oasis',
  cactus: 'cactus cacti saguaro',
  balloon: 'balloon',
  rocket: 'rocket spaceship spacecraft',
});

export const numberWords: Readonly<Record<string, number>> = {
  two: 2,
  pair: 2,
  couple: 2,
  three: 3,
  four: 4,
  several: 4,
  five: 5,
  six: 6,
  many: 6,
  seven: 7,
};

/** Returns a `Map`, not an object, because a prompt may contain the word "constructor". */
function spread<Name extends string>(table: Record<Name, string>): ReadonlyMap<string, readonly Name[]> {
  const byWord = new Map<string, Name[]>();
  for (const [name, words] of Object.entries(table) as [Name, string][]) {
    // The cast above is needed because `Object.entries` loses the type of the keys.
    for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), name]);
  }
  return byWord;
}
