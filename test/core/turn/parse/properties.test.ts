/** What holds for any text and any cut of it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLiveText } from "../../../../src/core/turn/parse/live-text.ts";
import { createMarkerStripper } from "../../../../src/core/turn/parse/marker-stripper.ts";
import { type StreamGuard, createStreamGuard } from "../../../../src/core/turn/parse/stream-guard.ts";
import { type TextStage, createThinkStripper } from "../../../../src/core/turn/parse/think-stripper.ts";
import { ClassifiedText } from "../../../../src/core/turn/parse/text/classified-text.ts";
import {
  cleanResponse,
  stripThink,
  stripTrailingMarkers,
} from "../../../../src/core/turn/parse/text/clean-response.ts";
import { findCalls } from "../../../../src/core/turn/parse/text/find-calls.ts";
import { parseJson } from "../../../../src/core/turn/parse/text/json-text.ts";
import { parseTextCalls } from "../../../../src/core/turn/parse/text/parse-text-calls.ts";
import { ToolNames } from "../../../../src/core/turn/parse/text/tool-names.ts";
import { KNOWN, cut, cutUp, everyCut, prose, protocolText } from "./fragments.ts";

const names = new ToolNames(KNOWN);
const runs = { numRuns: 2000 };

function throughStage(stage: TextStage, chunks: readonly string[]): string {
  return chunks.map((chunk) => stage.push(chunk)).join("") + stage.end();
}
function throughGuard(guard: StreamGuard, chunks: readonly string[]): { shown: string; withheld: boolean } {
  const pushed = chunks.map((chunk) => guard.push(chunk)).join("");
  const { text, withheld } = guard.end();
  return { shown: pushed + text, withheld };
}

describe("the parser", () => {
  test("[TP82][TP24] it never throws, and neither does any judgement", () => {
    fc.assert(
      fc.property(fc.oneof(protocolText, fc.string({ unit: "binary" })), fc.boolean(), (text, offered) => {
        parseTextCalls(text, { knownNames: offered ? KNOWN : [], strict: false });
        const judged = new ClassifiedText(text, names);
        expect(typeof (judged.looksLikeEnvelope || judged.isMalformedForKnown || judged.isIncomplete)).toBe("boolean");
        expect(typeof (judged.isTagCall || judged.mentionsKnown || judged.isMalformed)).toBe("boolean");
      }),
      runs,
    );
  });

  test("[TP82][TP18][TP19] whatever stands in a string argument, it is exactly that argument of exactly that call", () => {
    const quotable = protocolText
      .map((text) => text.toWellFormed())
      .filter((text) => !text.includes("<think>") && !/^\s*[{[]/.test(text));
    fc.assert(
      fc.property(prose, quotable, prose, (before, memo, after) => {
        const call = JSON.stringify({ name: "dough_mix", arguments: { memo } });
        expect(findCalls(`${before}<tool_call>${call}</tool_call>${after}`, names).calls).toEqual([
          { name: "dough_mix", args: { memo } },
        ]);
      }),
      runs,
    );
  });

  test("[TP82][TP50] no kept call has a name outside the known names", () => {
    fc.assert(
      fc.property(protocolText, (text) => {
        const { calls } = parseTextCalls(text, { knownNames: KNOWN, strict: false });
        expect(calls.filter(({ name }) => !names.isKnown(name))).toEqual([]);
      }),
      runs,
    );
  });

  test("[TP82][TP44] thinking never runs, wherever it stands", () => {
    const hidden = '<tool_call>{"name":"shell","arguments":{"command":"hidden"}}</tool_call>';
    fc.assert(
      fc.property(protocolText, protocolText, (before, after) => {
        const { calls } = parseTextCalls(`${before}<think>${hidden}</think>${after}`, {
          knownNames: KNOWN,
          strict: false,
        });
        expect(JSON.stringify(calls)).not.toContain("hidden");
      }),
      runs,
    );
  });

  test("[TP7] reading agrees with JSON.parse on everything that JSON.parse takes", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        expect(JSON.stringify(parseJson(text.toWellFormed()))).toBe(JSON.stringify(JSON.parse(text.toWellFormed())));
      }),
      runs,
    );
    const oneChanged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", "]", "x", "\\"))
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
    fc.assert(
      fc.property(oneChanged, (text) => {
        expect(parseJson(text) !== undefined).toBe(isJson(text));
      }),
      runs,
    );
  });
});

function isJson(text: string): boolean {
  try {
    // JSON.parse takes numbers that are too large for a double.
    return !JSON.stringify(
      JSON.parse(text, (_key, value: unknown) => (value === Infinity || value === -Infinity ? "∞" : value)),
    ).includes("∞");
  } catch {
    return false;
  }
}

describe("the strippers", () => {
  test("[TP82][TP66] the think stripper gives what TP4 makes of the whole, however the stream is cut", () => {
    fc.assert(
      fc.property(cutUp(protocolText), ({ text, chunks }) => {
        const shown = throughStage(createThinkStripper(), chunks);
        expect(shown).toBe(throughStage(createThinkStripper(), [text]));
        expect(shown.trim()).toBe(stripThink(text));
      }),
      runs,
    );
  });

  test("[TP82][TP67] the marker stripper gives what TP5 makes of the whole, however the stream is cut", () => {
    const marked = fc
      .array(fc.constantFrom("a", " ", "\n", "<eom>", "<|eom|>", "<", "<e", "<|eo", "m>", "|>"), { maxLength: 10 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(cutUp(fc.oneof(marked, protocolText)), ({ text, chunks }) => {
        expect(throughStage(createMarkerStripper(), chunks)).toBe(stripTrailingMarkers(text));
      }),
      runs,
    );
  });
});

describe("the guard", () => {
  test("[TP82][TP71] after a suppression nothing is shown", () => {
    fc.assert(
      fc.property(prose, cutUp(protocolText), (before, { chunks }) => {
        const guard = createStreamGuard(KNOWN);
        expect(guard.push(`${before}a <tool_call>{"name":"lamp"}</tool_call>`)).toBe("");
        expect(chunks.map((chunk) => guard.push(chunk)).join("")).toBe("");
        expect(guard.end()).toEqual({ text: "", withheld: true });
      }),
      runs,
    );
  });

  test("[TP82][TP65] what passes all stages is the cleaned text, or a beginning of it", () => {
    fc.assert(
      fc.property(cutUp(protocolText.map((text) => text.toWellFormed())), ({ text, chunks }) => {
        const { shown, withheld } = throughGuard(createLiveText({ knownNames: KNOWN, strict: false }), chunks);
        const whole = cleanResponse(text);
        expect(withheld ? whole.startsWith(shown.trim()) : shown.trim() === whole.trim()).toBe(true);
      }),
      runs,
    );
  });

  const taggedCalls = [
    '<tool_call>{"name":"lamp","arguments":{"level":3}}</tool_call>',
    "<toolcall>lamp>3</toolcall>",
    '<invoke name="lamp"><parameter name="level">3</parameter></invoke>',
    "<FunctionCall>lamp<code>level>3</code></FunctionCall>",
    '```tool_call\n{"name":"lamp"}\n```',
    "```tool lamp\n{}\n```",
  ];
  function seen(chunks: readonly string[]): { shown: string; withheld: boolean } {
    return throughGuard(createLiveText({ knownNames: KNOWN, strict: false }), chunks);
  }

  test.each(taggedCalls)("[TP82][PV6] %j is never seen, wherever the stream is cut in two", (call) => {
    for (const chunks of everyCut(`Well, so ${call} then.`)) {
      const { shown, withheld } = seen(chunks);
      expect([withheld, "Well, so ".startsWith(shown)]).toEqual([true, true]);
    }
  });

  test("[TP82][PV6] a tagged call is never seen, however the stream is cut", () => {
    const parts = fc.tuple(prose, fc.constantFrom(...taggedCalls), prose);
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(parts, sizes, ([before, call, after], size) => {
        const { shown, withheld } = seen(cut(before + call + after, size));
        expect([withheld, before.startsWith(shown)]).toEqual([true, true]);
      }),
      runs,
    );
  });

  test("[TP82][TP72] a bare JSON call is never seen, wherever the stream is cut", () => {
    const call = fc.constantFrom(
      '{"name":"lamp","arguments":{"level":3}}',
      ' {"name":"lamp"}\n',
      '[{"name":"lamp"},{"name":"lamp","arguments":{}}]',
      '{"content":"Hi","tool_calls":[{"function":{"name":"lamp","arguments":"{}"}}]}',
    );
    fc.assert(
      fc.property(cutUp(call), ({ chunks }) => {
        const { shown, withheld } = throughGuard(createLiveText({ knownNames: KNOWN, strict: false }), chunks);
        expect([shown.trim(), withheld]).toEqual(["", true]);
      }),
      { numRuns: 1000 },
    );
  });

  test("[TP68] prose passes chunk by chunk, whole", () => {
    fc.assert(
      fc.property(cutUp(prose), ({ chunks }) => {
        const guard = createStreamGuard(KNOWN);
        expect(chunks.map((chunk) => guard.push(chunk))).toEqual(chunks);
        expect(guard.end()).toEqual({ text: "", withheld: false });
      }),
      runs,
    );
  });
});
