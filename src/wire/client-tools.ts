/** Tools that a request brings for its turn, as they come over the wire. Rules: VW5, TC29, SE30. */
import { z } from "zod";

const most = 64;
/** Code points of a description; a Unicode string has at least half as many as units. */
const maxDescription = 4096;

const clientTool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name is 1 to 64 letters, digits, `_` and `-`"),
  description: z
    .string()
    .max(2 * maxDescription)
    .refine((text) => Array.from(text).length <= maxDescription, { message: "more than 4096 characters" })
    .exactOptional(),
  parameters: z.record(z.string(), z.json()).exactOptional(),
});

export const clientTools = z
  .array(clientTool)
  .max(most)
  .superRefine((tools, context) => {
    for (const [at, { name }] of tools.entries()) {
      if (tools.findIndex((tool) => tool.name === name) < at) {
        context.addIssue({ code: "custom", path: [at, "name"], message: "a tool of this name stands before it" });
      }
    }
  });
