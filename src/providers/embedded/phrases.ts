/** The sentences the embedded planner answers with, in each language it knows. */

export type Language = "en" | "es";

export interface Moment {
  readonly place: string;
  /** `HH:MM`. */
  readonly time: string;
  /** Monday is 0. */
  readonly weekday: number;
  readonly day: number;
  /** 1 to 12. */
  readonly month: number;
  readonly year: number;
  /** `UTC+01:00`. */
  readonly offset: string;
}

interface Phrases {
  equals(expression: string, value: string): string;
  timeIn(moment: Moment): string;
  result(tool: string, text: string): string;
  failure(tool: string, reason: string): string;
  noTool(tools: readonly string[]): string;
  readonly noResult: string;
}

const words = (list: string): readonly string[] => list.split(" ");
const english = {
  days: words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
  months: words("January February March April May June July August September October November December"),
};
const spanish = {
  days: words("lunes martes miércoles jueves viernes sábado domingo"),
  months: words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
};

export const phrases: { readonly [Known in Language]: Phrases } = {
  en: {
    equals: (expression, value) => `${expression} is ${value}.`,
    timeIn: ({ place, time, weekday, day, month, year, offset }) =>
      `In ${place} it is ${time} on ${english.days[weekday]}, ${day} ${english.months[month - 1]} ${year} (${offset}).`,
    result: (tool, text) => (text.includes("\n") ? `${tool} returned:\n${text}` : `${tool} returned: ${text}`),
    failure: (tool, reason) => `I have no answer from ${tool}: ${reason}`,
    noTool: (tools) =>
      `I am the embedded planner, not a language model: I choose tools by the words of a message, and none of yours called for one. The tools I have: ${tools.join(", ")}.`,
    noResult: "I am the embedded planner, not a language model, and there is no result yet that I could report.",
  },
  es: {
    equals: (expression, value) => `${expression} es ${value}.`,
    timeIn: ({ place, time, weekday, day, month, year, offset }) =>
      `En ${place} son las ${time} del ${spanish.days[weekday]} ${day} de ${spanish.months[month - 1]} de ${year} (${offset}).`,
    result: (tool, text) => (text.includes("\n") ? `${tool} ha devuelto:\n${text}` : `${tool} ha devuelto: ${text}`),
    failure: (tool, reason) => `No tengo respuesta de ${tool}: ${reason}`,
    noTool: (tools) =>
      `Soy el planificador integrado, no un modelo de lenguaje: elijo herramientas por las palabras del mensaje, y ninguna de las tuyas pedía una. Las herramientas que tengo: ${tools.join(", ")}.`,
    noResult: "Soy el planificador integrado, no un modelo de lenguaje, y todavía no hay ningún resultado que contar.",
  },
};

const SPANISH =
  /\b(?:que|hora|cuanto|cuantos|es|en|el|la|los|las|una?|usa|utiliza|llama|calcula|y|hoy|dime|por|para|con|hola|gracias)\b/g;
const ENGLISH = /\b(?:what|is|the|and|in|it|an?|use|call|calculate|time|of|for|please|today|how|with|hello|thanks)\b/g;

/** `folded`: lower case, no diacritics. English when in doubt. */
export function detectLanguage(folded: string): Language {
  const score = (pattern: RegExp): number => folded.match(pattern)?.length ?? 0;
  return score(SPANISH) > score(ENGLISH) ? "es" : "en";
}
