/** Far above our own turns, so that a busy machine causes no failure; the full form has a lower limit. */
export const mostTurnMs = 250;
