/** What stands where something was redacted. Rules: RE22–RE24, SE68. */

/** In place of a whole value. */
export const MARK = "[REDACTED]";
/** In place of a configured secret of the product itself. */
export const OWN_MARK = "[REDACTED:own]";
