/** Far above our own turns, so that a busy machine causes no failure; the full form demands less. */
export const mostTurnMs = 250;
