/** To begin with, where nothing has been made. */
export const examplePrompts = [
  'A red fox asleep in deep snow, first light, long lens',
  'An isometric cutaway of a small bakery at five in the morning',
  'Label for a jar of plum jam, letterpress, two colours',
  'A lighthouse drawn with a single continuous ink line',
  'Product photo of a ceramic teapot on raw linen, soft shadow',
  'Map of an invented archipelago, hand-tinted, with sea monsters',
];
