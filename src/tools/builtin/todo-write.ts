/** todo_write: replaces the plan of the turn, whole; a list with one bad entry replaces nothing. Rules: TC31, EX13. */
import { z } from "zod";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

const STATES = ["pending", "in_progress", "completed"];
const PRIORITIES = ["high", "medium", "low"];

const todo = z.object({
  content: z.string().describe("What is to be done"),
  // The three states are told to the model and judged below, so that a wrong one is a failure that names its entry.
  status: z.string().meta({ enum: STATES }),
  priority: z.unknown().optional().meta({ enum: PRIORITIES }),
  activeForm: z.string().describe("The same while it is being done, for example: Reading the file"),
});
type Todo = z.output<typeof todo>;

/** `data.todos`: the plan from now on. */
export const todoWrite = defineBuiltin({
  name: "todo_write",
  title: "Write the plan",
  description:
    "Replaces the list of steps that this task is planned in. Give the whole list each time; an empty one clears it.",
  input: z.object({ todos: z.array(todo).describe("All steps, in order") }),
  execute({ todos }) {
    const bad = todos.findIndex((entry) => faultOf(entry) !== undefined);
    const entry = todos[bad];
    if (entry !== undefined) return fail(`entry ${bad}: ${faultOf(entry)}`);
    const plan = todos.map(({ content, status, priority, activeForm }) => ({
      content,
      status,
      priority: priority === "high" || priority === "low" ? priority : "medium",
      activeForm,
    }));
    const done = plan.filter(({ status }) => status === "completed").length;
    return ok(`${plan.length} ${plan.length === 1 ? "todo" : "todos"} tracked (${done} done)`, { todos: plan });
  },
});

function faultOf({ content, status, activeForm }: Todo): string | undefined {
  if (content.trim() === "") return "content is blank";
  if (activeForm.trim() === "") return "activeForm is blank";
  return STATES.includes(status) ? undefined : `status is none of ${STATES.join(", ")}`;
}
