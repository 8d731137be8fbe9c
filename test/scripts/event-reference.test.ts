/** The page for client writers says of events what the schemas say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { updateEventPage } from "../../scripts/lib/event-reference.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { turnEventSchemas } from "../../src/wire/event-schemas.ts";

const page = readFileSync(join(projectRoot, "docs/events.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));
const intro = page.split("\n### ")[0] ?? "";
const sectionOf = (type: string): string => page.split(`### \`${type}\`\n`)[1]?.split("\n### ")[0] ?? "";

test("[EV1] docs/events.md is up to date, and what is written by hand survives the making", () => {
  expect(updateEventPage(page)).toBe(page);
  expect(updateEventPage(page.replace("| `seq` |", "| `number` |"))).toBe(page);
  expect(() => updateEventPage("# A page without marks")).toThrow("marks");
});

test("[EV10] every event has its section with a meaning, every field a row with one", () => {
  const shapes = Object.values(turnEventSchemas).map(({ shape }) => Object.keys(shape));
  const isShared = (field: string): boolean => shapes.every((fields) => fields.includes(field));
  for (const [type, { shape }] of Object.entries(turnEventSchemas)) {
    const section = sectionOf(type);
    expect(section).toMatch(/^\n[A-Z].*\.\n/);
    for (const field of Object.keys(shape)) {
      expect(isShared(field) ? intro : section).toMatch(new RegExp(`^\\| \`${field}\`\\??`, "m"));
    }
  }
  expect(rows.filter((row) => / \|\s*\|$/.test(row))).toEqual([]);
});

test("[EV4] what is inside lists and objects has rows, optional fields a mark, JSON its name", () => {
  const [call, result, finished] = ["tool_call", "tool_result", "turn_finished"].map(sectionOf);
  expect(call).toContain("| `arguments` | JSON |");
  expect(call).toContain("| `provider_call_id`? | text |");
  expect(call).toContain('"delegate"` or null |');
  expect(result).toContain("| `artifact`? | object |");
  expect(result).toContain("| `artifact.size` | integer ≥ 0 |");
  expect(finished).toContain("| `receipts[].tool` | text |");
  expect(page).toContain("| `at` | time |");
});

test("every answer of a stream that a reader must know is on the page", () => {
  for (const answer of ["204", "400 `invalid-cursor`", "404", "409 `resume-mismatch`", "410 `cursor-expired`"]) {
    expect(page).toContain(`\n| ${answer} |`);
  }
});
