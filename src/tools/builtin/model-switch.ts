/** model_switch: tells which model is in use, which others may be, and asks for one of them. Rules: TC34, LC29. */
import { z } from "zod";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

/** `data.model`: what the frame is to go on with from its next iteration. */
export const modelSwitch = defineBuiltin({
  name: "model_switch",
  title: "Switch the model",
  description: "Tells which model answers here, lists those that may take over, or hands over to one of them.",
  readOnly: false,
  needsApproval: ({ action }) => action === "set",
  input: z.object({
    action: z.enum(["get", "set", "list_models"]).default("get").describe("What to do"),
    model: z.string().optional().describe("For set: provider/model, as list_models gives it"),
  }),
  execute({ action, model = "" }, { models }) {
    if (models === undefined) return fail("no model can be chosen here");
    const { current, allowed } = models;
    switch (action) {
      case "get":
        return ok(`In use: ${current}`);
      case "list_models":
        return ok([`In use: ${current}`, ...allowed.map((name) => `- ${name}`)].join("\n"));
      case "set":
        if (!allowed.includes(model)) return fail(`${JSON.stringify(model)} is none of: ${allowed.join(", ")}`);
        return ok(model === current ? `${model} is in use already` : `${model} takes over with the next step`, {
          model,
        });
      default:
        return action satisfies never;
    }
  },
});
