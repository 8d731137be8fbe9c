/** Which calls the embedded planner makes of a message: a table of sentences, its stages, what it never does. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../../../src/contracts/tool.ts";
import { planCalls } from "../../../src/providers/embedded/plan.ts";
import { createSkills } from "../../../src/providers/embedded/skills.ts";
import { createZoneFinder } from "../../../src/providers/embedded/time-zones.ts";
import { toolOf } from "../support/provider-fixtures.ts";

const text = { type: "string" };
const calculator = toolOf("calculator", { expression: text }, ["expression"]);
const currentTime = toolOf("current_time", { timezone: text });
const todoWrite = toolOf("todo_write", { todos: { type: "array", items: { type: "object" } } }, ["todos"]);
const orderStatus = toolOf("order_status", { order: { type: "string", pattern: "^[0-9]{6}$" } }, ["order"]);
const refund = toolOf(
  "refund",
  { order: text, sku: text, cents: { type: "integer" }, reason: { type: "string", enum: ["broken", "late"] } },
  ["order", "sku", "cents"],
);
const fetchPage = toolOf("fetch_page", { url: { type: "string", format: "uri" }, retries: { type: "integer" } }, [
  "url",
]);
const sendMail = toolOf("send_mail", { email: text, body: text, urgent: { type: "boolean" } }, ["email", "body"]);
const toolSearch = toolOf("tool_search", { query: text, max_results: { type: "integer" } }, ["query"]);
const coded = toolOf("order_code", { order: text, code: { type: "string", pattern: "^[A-Z]{3}$" } }, ["order"]);
const readFile: ToolSpec = { ...toolOf("files__read_file", { path: text }, ["path"]), name: "files_read_7f" };
const tools = [calculator, currentTime, todoWrite, orderStatus, refund, fetchPage, sendMail, readFile];

const skills = createSkills(createZoneFinder());
const stagesOf = (message: string, offered: readonly ToolSpec[] = tools) =>
  planCalls(message, { tools: offered, skills }).map((stage) =>
    stage.map(({ name, argumentsText }) => [name, JSON.parse(argumentsText)]),
  );

describe("sums", () => {
  test.each([
    ["what is 12*(3+4)?", "12*(3+4)"],
    ["What's 2 + 2", "2 + 2"],
    ["calculate sqrt(16)*2 please", "sqrt(16)*2"],
    ["compute max(1, 2, 3) ^ 2.", "max(1, 2, 3) ^ 2"],
    ["how much is 3.5 × 2?", "3.5 * 2"],
    ["what is 7 plus 8", "7 + 8"],
    ["12 divided by 4", "12 / 4"],
    ["what is the square root of 81?", "sqrt(81)"],
    ["15% of 80", "15/100*80"],
    ["1,200 + 5", "1200 + 5"],
    ["-3 + 5", "-3 + 5"],
    ["2*pi", "2*pi"],
    ["¿Cuánto es 12*(3+4)?", "12*(3+4)"],
    ["calcula 9 por 9", "9 * 9"],
    ["¿cuánto es 10 menos 4?", "10 - 4"],
    ["¿Cuál es la raíz cuadrada de 49?", "sqrt(49)"],
    ["use the calculator on 6/4", "6/4"],
  ])("%s", (message, expression) => {
    expect(stagesOf(message)).toEqual([[["calculator", { expression }]]]);
  });

  test.each([
    "my order is 123456",
    "see https://example.com/1+2",
    "on 2026-12-01 at 10:30",
    "room A-12-3",
    "version 3",
    'she wrote "1+1" on the wall',
  ])("none in: %s", (message) => {
    expect(stagesOf(message, [calculator])).toEqual([]);
  });
});

describe("times", () => {
  test.each([
    ["what time is it in Madrid?", "Europe/Madrid"],
    ["what time is it in tokyo", "Asia/Tokyo"],
    ["time in New York?", "America/New_York"],
    ["What is the current date in Barcelona", "Europe/Madrid"],
    ["what day is it in Munich?", "Europe/Berlin"],
    ["What's the time in Delhi?", "Asia/Kolkata"],
    ["time in Beijing", "Asia/Shanghai"],
    ["what time is it in San Francisco?", "America/Los_Angeles"],
    ["what time is it in Washington", "America/New_York"],
    ["what time is it in America/Argentina/Buenos_Aires?", "America/Argentina/Buenos_Aires"],
    ["current time UTC", "UTC"],
    ["¿qué hora es en Valencia?", "Europe/Madrid"],
    ["¿Qué hora es en Nueva York?", "America/New_York"],
    ["dime la hora en São Paulo", "America/Sao_Paulo"],
    ["¿Qué día es hoy en Tokio?", "Asia/Tokyo"],
  ])("%s", (message, timezone) => {
    expect(stagesOf(message)).toEqual([[["current_time", { timezone }]]]);
  });

  test.each(["what time is it?", "¿qué hora es?", "use current_time", "what is today's date"])(
    "no place: %s",
    (message) => {
      expect(stagesOf(message)).toEqual([[["current_time", {}]]]);
    },
  );

  test.each([
    "how many times did I wake up in the center?",
    "I was in Paris",
    "Guten Morgen",
    "lots of time for lunch",
  ])("none in: %s", (message) => {
    expect(stagesOf(message)).toEqual([]);
  });
});

describe("other tools", () => {
  test.each([
    ["what is the status of order 654321?", [["order_status", { order: "654321" }]]],
    ["use order_status for 111222", [["order_status", { order: "111222" }]]],
    ['call refund with {"order": "1", "sku": "AB", "cents": 5}', [["refund", { order: "1", sku: "AB", cents: 5 }]]],
    [
      "refund order 123456, sku: ab-1, cents 250, it came late",
      [["refund", { order: "123456", sku: "ab-1", cents: 250, reason: "late" }]],
    ],
    ["fetch the page https://example.com/a?b=1.", [["fetch_page", { url: "https://example.com/a?b=1" }]]],
    [
      'send a mail to ana@example.com saying "see you at 5"',
      [["send_mail", { email: "ana@example.com", body: "see you at 5" }]],
    ],
    ["usa files__read_file con path=/etc/motd", [["files_read_7f", { path: "/etc/motd" }]]],
    ["call read_file with notes.txt", [["files_read_7f", { path: "notes.txt" }]]],
    [
      "todo: buy milk, call Ana",
      [
        [
          "todo_write",
          {
            todos: [
              { content: "buy milk", status: "pending", activeForm: "buy milk" },
              { content: "call Ana", status: "pending", activeForm: "call Ana" },
            ],
          },
        ],
      ],
    ],
  ])("%s", (message, calls) => {
    expect(stagesOf(message)).toEqual([calls]);
  });

  test("a tool that is only implied is not called without what it requires", () => {
    expect(stagesOf("I would like a refund")).toEqual([]);
    expect(stagesOf("call refund")).toEqual([[["refund", {}]]]);
  });

  test("JSON that is wrong goes through as it was written", () => {
    expect(planCalls('call calculator with {"expression": 1,}', { tools, skills })).toEqual([
      [{ name: "calculator", argumentsText: '{"expression": 1,}' }],
    ]);
  });

  test("a tool that is not offered is looked for, if there is a search", () => {
    expect(stagesOf("use mail__send_all", [calculator])).toEqual([]);
    expect(stagesOf("use mail__send_all", [calculator, toolSearch])).toEqual([
      [["tool_search", { query: "mail__send_all" }]],
    ]);
  });
});

describe("several", () => {
  const sum = ["calculator", { expression: "12*(3+4)" }];
  const madrid = ["current_time", { timezone: "Europe/Madrid" }];

  test.each([
    ["what is 12*(3+4), and what time is it in Madrid?", [[sum, madrid]]],
    ["What time is it in Madrid? What is 12*(3+4)?", [[madrid, sum]]],
    ["¿Cuánto es 12*(3+4) y qué hora es en Madrid?", [[sum, madrid]]],
    ["what is 12*(3+4), then tell me the time in Madrid", [[sum], [madrid]]],
    ["calcula 12*(3+4) y luego dime qué hora es en Madrid", [[sum], [madrid]]],
    ["what is 12*(3+4)? And 12*(3+4)?", [[sum]]],
    ["what time is it in Madrid and in Tokyo?", [[madrid, ["current_time", { timezone: "Asia/Tokyo" }]]]],
  ])("%s", (message, stages) => {
    expect(stagesOf(message)).toEqual(stages);
  });
});

describe("always", () => {
  const words = fc.constantFrom(
    "use",
    "call",
    "then",
    "what time is it in",
    "Madrid",
    "1+1",
    "refund",
    "order_status",
    "{",
    "}",
    '{"a":1}',
    '"',
    "?",
    ". ",
    "url",
    "https://a.example",
    "calculator",
    "current_time",
    "todo: x, y",
    "files__read_file",
    "é",
    "\u{1f600}",
    "\ud800",
    "\n",
  );
  const messages = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words).map((list) => list.join(" ")),
  );

  test("only offered tools, whatever is said", () => {
    fc.assert(
      fc.property(messages, fc.subarray([...tools, toolSearch]), (message, offered) => {
        const names = planCalls(message, { tools: offered, skills })
          .flat()
          .map(({ name }) => name);
        expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
      }),
    );
  });

  test("no call twice, the same plan each time", () => {
    fc.assert(
      fc.property(messages, (message) => {
        const plan = planCalls(message, { tools, skills });
        const keys = plan.flat().map((call) => JSON.stringify(call));
        expect(new Set(keys).size).toBe(keys.length);
        expect(planCalls(message, { tools, skills: createSkills(createZoneFinder()) })).toEqual(plan);
      }),
    );
  });
});

test("[SE88] a schema's pattern is never tried on what a user wrote", () => {
  expect(stagesOf("use order_code with order 111222 and ABC", [coded])).toEqual([
    [["order_code", { order: "111222" }]],
  ]);
});
