/** The tools whose arguments the planner knows how to find without being told: sums, times, lists of things to do. */
import type { JsonObject } from "../../contracts/json.ts";
import { foldText, hideQuoted } from "./clauses.ts";
import { findExpressions } from "./find-expression.ts";
import type { ZoneMention } from "./time-zones.ts";

export interface FoundUse {
  readonly args: JsonObject;
  readonly index: number;
}

/** What a clause asks of one tool. `asked`: the clause names the tool outright. */
export type Skill = (clause: string, asked: boolean) => readonly FoundUse[];

const TIME_ASKED =
  /\b(?:what(?:'s| is)? (?:the )?(?:current |local )?(?:time|date)|what (?:time|day|date)|time is it|(?:current|local) (?:time|date)|time now|today'?s date|que (?:hora|dia|fecha)|hora (?:es|actual)|fecha (?:de hoy|actual)|dime la (?:hora|fecha)|quelle heure|wie spat|wie viel uhr|que horas|che ora)/;
const TIME_WORD = /\b(?:time|date|clock|hora|horas|fecha|heure|uhr|ora)\b/;
const TODO_ASKED = /\b(?:to-?dos?(?: list)?|task list|plan|(?:lista de )?(?:tareas|pendientes))\b[^:]*:/;

export function createSkills(findZones: (text: string) => readonly ZoneMention[]): ReadonlyMap<string, Skill> {
  return new Map<string, Skill>([
    [
      "calculator",
      (clause) => findExpressions(clause).map(({ expression, index }) => ({ args: { expression }, index })),
    ],
    [
      "current_time",
      (clause, asked) => {
        const readable = hideQuoted(foldText(clause));
        const word = TIME_ASKED.exec(readable) ?? TIME_WORD.exec(readable);
        if (word === null && !asked) return [];
        const zones = findZones(clause);
        if (zones.length > 0) return zones.map(({ zone, index }) => ({ args: { timezone: zone }, index }));
        return asked || TIME_ASKED.test(readable) ? [{ args: {}, index: word?.index ?? 0 }] : [];
      },
    ],
    [
      "todo_write",
      (clause) => {
        const heading = TODO_ASKED.exec(foldText(clause));
        if (heading === null) return [];
        const items = clause.slice(heading.index + heading[0].length).split(/,|\band\b|\sy\s/);
        const todos = items.map((item) => item.trim()).filter((item) => item !== "");
        if (todos.length === 0) return [];
        return [
          {
            args: { todos: todos.map((content) => ({ content, status: "pending", activeForm: content })) },
            index: heading.index,
          },
        ];
      },
    ],
  ]);
}
