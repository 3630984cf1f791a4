/** Far above any turn of ours, so that a machine that is busy fails nothing; the full form wants less. */
export const mostTurnMs = 250;
