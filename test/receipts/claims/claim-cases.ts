/** Generated cases for the claim check: a turn's calls, a text about them, and whether one of its claims is false. */
import type { ClaimEvidence } from "../../../src/receipts/claims/check-claims.ts";
import type { ClaimKind, ToolRun } from "../../../src/contracts/text-check.ts";
import { type Language, languages, type Phrases } from "./claim-phrases.ts";

export interface ClaimCase {
  readonly language: Language;
  readonly text: string;
  readonly evidence: ClaimEvidence;
  /** What the case is about. */
  readonly about: ClaimKind;
  readonly isFalse: boolean;
}

const toolNames = [
  "search_flights",
  "send_email",
  "weather",
  "crm__lookup_customer",
  "listFiles",
  "translate_text",
  "web_search",
  "stock_quote",
  "create-ticket",
  "calendar_events",
] as const;
const unheardOf = ["verify_identity", "bookHotel", "db__run_query", "sentiment_scan"] as const;

/** Small, fast, the same everywhere. */
function createDice(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return { below, pick };
}
type Dice = ReturnType<typeof createDice>;

const linkOf = (dice: Dice): string =>
  `https://${dice.pick(["www.example.org", "news.example.com", "docs.example.net"])}/${dice.pick(["a", "posts", "guide"])}/${dice.below(9000) + 100}`;

/** A list in one of the shapes that tools answer with. */
function renderList(dice: Dice, count: number): string {
  const items = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `Entry ${dice.below(900)}`,
    price: dice.below(400),
    url: linkOf(dice),
  }));
  switch (dice.below(4)) {
    case 0:
      return JSON.stringify(items);
    case 1:
      return JSON.stringify({ results: items, total: count, took_ms: 1000 + dice.below(100) });
    case 2:
      return count < 2 ? JSON.stringify(items) : items.map(({ title, url }) => `- ${title} (${url})`).join("\n");
    default:
      return count < 2 ? JSON.stringify(items) : items.map(({ id, title }) => `${id}. ${title}`).join("\n");
  }
}

const runOf = (tool: string, shown: string, at: number): ToolRun => ({
  tool,
  disposition: "succeeded",
  args: JSON.stringify({ query: "the thing" }),
  shown,
  truncated: false,
  receipt: `zc-receipt-1774608496-${"A".repeat(42)}${at}`,
});

const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "");

const writeNumber = (language: Language, value: number, dice: Dice): string =>
  language === "hi" && dice.below(2) === 0
    ? String(value).replace(/\d/g, (digit) => String.fromCharCode(0x966 + Number(digit)))
    : String(value);

interface Making {
  readonly language: Language;
  readonly words: Phrases;
  readonly dice: Dice;
  readonly isFalse: boolean;
}
type MadeCase = Pick<ClaimCase, "text" | "evidence">;

function makeToolCase({ words, dice, isFalse }: Making): MadeCase {
  const ran = dice.pick(toolNames);
  const other = dice.pick([...toolNames, ...unheardOf].filter((name) => name !== ran));
  const honest = dice.below(3) === 0;
  const template = isFalse || !honest ? dice.pick(words.used) : dice.pick(words.notUsed);
  const named = isFalse || honest ? other : ran;
  const written = dice.below(2) === 0 ? `\`${named}\`` : named;
  const known = isFalse && dice.below(4) === 0 ? [ran] : [...toolNames];
  // Written bare, a name that nobody has heard of and that has no shape of code is a word like any other.
  const shaped = /[_A-Z]/.test(named) || known.includes(named as (typeof toolNames)[number]) ? written : `\`${named}\``;
  return {
    text: fill(template, { tool: shaped }),
    evidence: { runs: [runOf(ran, renderList(dice, 3), 1)], knownTools: known, given: "" },
  };
}

function makeCountCase({ language, words, dice, isFalse }: Making): MadeCase {
  const count = dice.below(14) + 2;
  const shift = dice.pick([-1, 1, 2, 3, 5]);
  const wrong = count + shift < 2 ? count + 2 : count + shift;
  const aside = !isFalse && dice.below(3) === 0;
  const n = writeNumber(language, isFalse || aside ? wrong : count, dice);
  const text = fill(dice.pick(aside ? words.otherNumbers : words.counted), { n, things: dice.pick(words.things) });
  return {
    text,
    evidence: { runs: [runOf(dice.pick(toolNames), renderList(dice, count), 1)], knownTools: toolNames, given: "" },
  };
}

function makeAbsenceCase({ words, dice, isFalse }: Making): MadeCase {
  const aside = !isFalse && dice.below(3) === 0;
  const empty = dice.pick(["[]", '{"results":[],"total":0}', "(no output)", "No results found."]);
  const shown = isFalse || aside ? renderList(dice, dice.below(9) + 2) : empty;
  const text = dice.pick(aside ? words.notNothing : words.nothing);
  return { text, evidence: { runs: [runOf(dice.pick(toolNames), shown, 1)], knownTools: toolNames, given: "" } };
}

function makeSourceCase({ words, dice, isFalse }: Making): MadeCase {
  const link = linkOf(dice);
  const shown = JSON.stringify([
    { title: "One", url: isFalse ? linkOf(dice) : link },
    { title: "Two", url: linkOf(dice) },
  ]);
  const invented = `https://www.example.org/invented/${dice.below(900)}`;
  const text = fill(dice.pick(words.source), { url: isFalse ? invented : link });
  return { text, evidence: { runs: [runOf("web_search", shown, 1)], knownTools: toolNames, given: "" } };
}

const makers = {
  fabricated_tool: makeToolCase,
  count_mismatch: makeCountCase,
  false_absence: makeAbsenceCase,
  unknown_source: makeSourceCase,
} as const satisfies Record<ClaimKind, (making: Making) => MadeCase>;

/** So many false and so many true ones of each kind in each language. */
export function makeClaimCases(
  phrases: Readonly<Record<Language, Phrases>>,
  seed: number,
  each: number,
): readonly ClaimCase[] {
  const dice = createDice(seed);
  return languages.flatMap((language) =>
    (Object.keys(makers) as ClaimKind[]).flatMap((about) =>
      Array.from({ length: 2 * each }, (_, index) => {
        const isFalse = index % 2 === 0;
        return { language, about, isFalse, ...makers[about]({ language, words: phrases[language], dice, isFalse }) };
      }),
    ),
  );
}
