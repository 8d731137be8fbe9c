/** The frames of a turn that have not ended, each delegate's before the one that called it. Rules: CK16, DU8. */
import { listFrames } from "../frame-store.ts";
import { type FrameKey, rootKey } from "../step-store.ts";
import { type TurnContext, rootFrame } from "../store-context.ts";

export const openFrames = ({ sql, turn: { n } }: TurnContext): readonly FrameKey[] => [
  ...listFrames(sql, n)
    .filter(({ frame, outcome }) => frame !== rootFrame && outcome === undefined)
    .toSorted((one, other) => other.record.depth - one.record.depth),
  rootKey(n),
];
