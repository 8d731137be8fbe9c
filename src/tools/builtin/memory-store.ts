/** memory_store: keeps a text for later turns of this agent in this conversation. Rules: TC33, HI12. */
import { z } from "zod";
import { countUtf8 } from "../../contracts/utf8-size.ts";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

const MOST_BYTES = 8192;

export const memoryStore = defineBuiltin({
  name: "memory_store",
  title: "Remember",
  description:
    "Keeps a text for later turns of this conversation. A text that is stored under a key replaces the one before.",
  readOnly: false,
  input: z.object({
    content: z.string().describe("What to remember, at most 8 KiB"),
    key: z.string().min(1).max(256).optional().describe("Name of the entry, if it is to be replaced later"),
    category: z.string().min(1).max(256).optional().describe("What kind of thing it is"),
  }),
  execute({ content, key, category }, { memory }) {
    if (content.trim() === "") return fail("the content is blank");
    if (countUtf8(content) > MOST_BYTES) return fail("the content is longer than 8 KiB");
    if (memory === undefined) return fail("nothing can be remembered here");
    const named = { ...(key === undefined ? {} : { key }), ...(category === undefined ? {} : { category }) };
    const { replaced } = memory.store({ content, ...named });
    return ok(replaced ? "stored in place of what was there under this key" : "stored");
  },
});
