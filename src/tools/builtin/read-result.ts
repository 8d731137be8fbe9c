/** read_result: a range of a stored raw result, for what was cut out of the text the model saw. Rules: BD9. */
import { z } from "zod";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

export const readResult = defineBuiltin({
  name: "read_result",
  title: "Read a stored result",
  description: "Reads a part of the full result of an earlier tool call of this conversation, by call id.",
  input: z.object({
    call_id: z.string().min(1).max(256).describe("Id of the call whose result to read"),
    offset: z.int().min(0).default(0).describe("Characters to skip"),
    length: z.int().min(1).default(20_000).describe("Characters to read"),
  }),
  execute({ call_id: callId, offset, length }, context) {
    const slice = context.readResult?.({ callId, offset, length });
    if (slice === undefined) return fail(`no stored result of a call ${JSON.stringify(callId)} in this conversation`);
    const end = Math.min(offset + length, slice.total);
    const range = offset < end ? `characters ${offset} to ${end}` : "no characters";
    return ok(`call ${callId}, tool ${slice.tool}, ${range} of ${slice.total}\n${slice.text}`);
  },
});
