/** Finds the sums in a text: the longest stretches that are arithmetic by the calculator's grammar. */
import { foldText, hideQuoted } from "./clauses.ts";

export interface FoundExpression {
  readonly expression: string;
  readonly index: number;
}

const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\w])/y;
const CONSTANT = /(?:pi|e)\b/y;
const FUNCTION = /(?:abs|ceil|floor|round|sqrt|min|max|ln|log10|exp|sin|cos|tan)\s*\(/y;
const OPERATOR = /\s*[-+*/%^]\s*/y;

/** What only looks like arithmetic, or is none of ours to read. */
const NOT_ARITHMETIC = /https?:\/\/\S+|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}\b|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/g;

/** Words between numbers that mean an operator. */
const spoken: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\d)]\s+)(?:plus|mas)(?=\s+[\d(])/g, "+"],
  [/(?<=[\d)]\s+)(?:minus|menos)(?=\s+[\d(])/g, "-"],
  [/(?<=[\d)]\s+)(?:times|multiplied by|por|multiplicado por|x)(?=\s+[\d(])/g, "*"],
  [/(?<=[\d)]\s+)(?:divided by|dividido por|dividido entre|entre)(?=\s+[\d(])/g, "/"],
  [/[×·]/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
];
const ROOT = /(?:square root of|raiz cuadrada de)\s+(\d+(?:\.\d+)?)/g;
const PERCENT_OF = /(\d+(?:\.\d+)?)\s?(?:%|percent|por ciento)\s+(?:of|de)\s+(\d+(?:\.\d+)?)/g;

export function findExpressions(text: string): readonly FoundExpression[] {
  const found: FoundExpression[] = [];
  const readable = toSigns(hideQuoted(foldText(text)));
  for (let index = 0; index < readable.length; index++) {
    if (!/[\d.(a-z-]/.test(readable.charAt(index)) || /[\w.)-]/.test(readable.charAt(index - 1))) continue;
    const read = readSum({ text: readable, depth: 0 }, index);
    if (read === undefined) continue;
    if (read.operations > 0) found.push({ expression: tidy(readable.slice(index, read.end)), index });
    index = read.end - 1;
  }
  return found;
}

const pad = (sign: string, whole: string): string => sign.padEnd(whole.length);

/** Written-out operators become signs. Each replacement keeps its length, so that places stay comparable. */
function toSigns(text: string): string {
  return spoken
    .reduce((rest, [word, sign]) => rest.replaceAll(word, (whole) => pad(sign, whole)), text)
    .replaceAll(NOT_ARITHMETIC, (whole) => "\0".repeat(whole.length))
    .replaceAll(ROOT, (whole, number: string) => pad(`sqrt(${number})`, whole))
    .replaceAll(PERCENT_OF, (whole, part: string, total: string) => pad(`${part}/100*${total}`, whole))
    .replaceAll(/(?<![(\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (whole) => pad(whole.replaceAll(",", ""), whole));
}

const tidy = (expression: string): string => expression.trim().replaceAll(/\s+/g, " ");

interface Reading {
  readonly end: number;
  readonly operations: number;
}

/** Text under reading; `depth` is how many terms lie open in one another. */
interface Source {
  readonly text: string;
  depth: number;
}

/** As deep as the calculator goes. */
const DEEPEST = 64;

/** A sum: terms joined by operators. An operator without a term behind it does not belong to it. */
function readSum(source: Source, start: number): Reading | undefined {
  let read = readTerm(source, start);
  while (read !== undefined) {
    const sign = matchAt(OPERATOR, source, read.end);
    const next = sign === undefined ? undefined : readTerm(source, read.end + sign.length);
    if (next === undefined) return read;
    read = { end: next.end, operations: read.operations + next.operations + 1 };
  }
  return undefined;
}

function readTerm(source: Source, start: number): Reading | undefined {
  if (source.depth >= DEEPEST) return undefined;
  source.depth++;
  const read = readOpenTerm(source, start);
  source.depth--;
  return read;
}

function readOpenTerm(source: Source, start: number): Reading | undefined {
  const first = source.text.charAt(start);
  if (first === "-") return readTerm(source, start + 1);
  if (first === "(") return readInParentheses(source, start + 1, 0);
  const plain = matchAt(NUMBER, source, start) ?? matchAt(CONSTANT, source, start);
  if (plain !== undefined) return { end: start + plain.length, operations: 0 };
  const called = matchAt(FUNCTION, source, start);
  return called === undefined ? undefined : readInParentheses(source, start + called.length, 1);
}

/** From behind the opening parenthesis to behind its end. Only a function, itself an operation, has commas. */
function readInParentheses(source: Source, start: number, own: 0 | 1): Reading | undefined {
  let operations: number = own;
  for (let place = start; ; place++) {
    const inner = readSum(source, skipBlanks(source, place));
    if (inner === undefined) return undefined;
    operations += inner.operations;
    place = skipBlanks(source, inner.end);
    const sign = source.text.charAt(place);
    if (sign === ")") return { end: place + 1, operations };
    if (sign !== "," || own === 0) return undefined;
  }
}

function matchAt(pattern: RegExp, { text }: Source, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

function skipBlanks({ text }: Source, index: number): number {
  let place = index;
  while (text.charAt(place) === " ") place++;
  return place;
}
