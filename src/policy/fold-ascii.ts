/** ASCII case folding: for comparisons that must not depend on a locale or on Unicode's tables. Rules: TS4, FG2, CP14. */
export const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
