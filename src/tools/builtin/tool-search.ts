/** tool_search: finds stubs by name or by words, shows their definitions and names those to be activated. Rules: TS12–TS14, DM4, DM10. */
import { z } from "zod";
import type { SearchableTools, Tool } from "../../contracts/tool.ts";
import { findStubs } from "../find-stubs.ts";
import { functionLines } from "../function-lines.ts";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

const USUAL_RESULTS = 5;
const NOTHING_THERE: SearchableTools = {
  stubs: [],
  active: new Set(),
  room: 0,
  schemaOf: ({ definition }) => definition.inputSchema,
};

/** `data.activated`: real names for the ActivatedToolSet, in the order found. */
export const toolSearch = defineBuiltin({
  name: "tool_search",
  title: "Find tools",
  description:
    'Loads tools that are not loaded yet, so that they can be called: by exact names with "select:name,name", or by words of their name and description.',
  input: z.object({
    query: z.string().describe('"select:name,name", or words to look for'),
    max_results: z.int().min(0).default(USUAL_RESULTS).catch(USUAL_RESULTS).describe("Most tools that words may find"),
  }),
  execute({ query, max_results: most }, { searchable = NOTHING_THERE }) {
    if (query.trim() === "") return fail("the query is blank: give words, or select:name,name");
    const { found, missed } = findStubs(searchable.stubs, query, most);
    const { activated, barred } = splitByRoom(found, searchable);
    const lines = [
      found.length === 0 ? "No tool was found." : functionLines(found, (tool) => searchable.schemaOf(tool)),
      ...(barred.length === 0 ? [] : [noRoom(barred)]),
      ...(missed.length === 0 ? [] : [`Not found: ${missed.join(", ")}`]),
    ];
    return ok(lines.join("\n"), { activated });
  },
});

function splitByRoom(found: readonly Tool[], { active, room }: SearchableTools) {
  const fresh = found.map(({ definition }) => definition.name).filter((name) => !active.has(name));
  return { activated: fresh.slice(0, room), barred: fresh.slice(room) };
}

const noRoom = (names: readonly string[]): string =>
  `No more tools can be loaded in this conversation, so these cannot be called: ${names.join(", ")}`;
