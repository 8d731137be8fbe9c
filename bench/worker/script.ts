/** The script of a turn: what its model says, how fast, and what its tool gives back. */

export const deltas = 50;
/** Milliseconds between two deltas of the paced provider. */
export const tokenMs = 10;
/** Providers, and the agents on them. */
export const instantProvider = "instant";
export const pacedProvider = "paced";

export const toolName = "look_up";
/** 2 KB of plain text. */
export const toolResult = "The river is long, and the sea is wide. ".repeat(52).slice(0, 2048);
