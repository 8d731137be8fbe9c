/** What a name that a model wrote means, and what a bare value is the value of. */
import { describe, expect, test } from "vitest";
import { curlCommand, defaultParameter } from "../../../../../src/core/turn/parse/text/shorthand-value.ts";
import { ToolNames } from "../../../../../src/core/turn/parse/text/tool-names.ts";
import { callsIn } from "./read.ts";

const ALIASES: Record<string, string> = {
  shell: "bash sh exec command cmd browser_open browser web_search",
  message_send: "send_message sendmessage",
  file_read: "fileread readfile read_file file",
  file_write: "filewrite writefile write_file",
  file_list: "filelist listfiles list_files",
  memory_recall: "memoryrecall recall memrecall",
  memory_store: "memorystore store memstore",
  memory_forget: "memoryforget forget memforget",
  http_request: "http fetch curl wget",
};

describe("resolving a name", () => {
  test.each([
    [["atlas.exec", "exec"], "atlas.exec", "atlas.exec"],
    [["exec"], "atlas.exec", "exec"],
    [["shell"], "atlas.exec", "shell"],
    [[], "atlas.lamp", "lamp"],
    [["fetch", "http_request"], "fetch", "fetch"],
    [["FETCH"], "fetch", "fetch"],
    [["fetch"], "Fetch", "Fetch"],
    [[], "Bash", "Bash"],
    [[], "fetch", "http_request"],
  ])("[TP13][PA8] with %j on offer, %s is %s", (offered, written, meant) => {
    expect(new ToolNames(offered).resolve(written)).toBe(meant);
  });

  test("[TP13] letters outside ASCII are compared as they are", () => {
    expect(new ToolNames(["Ärger"]).isKnown("ärger")).toBe(false);
    expect(new ToolNames(["ÄRGER"]).isKnown("Ärger")).toBe(true);
  });

  test.each(Object.entries(ALIASES))("[TP15] %s has the aliases %s", (canonical, aliases) => {
    const names = new ToolNames([]);
    expect(aliases.split(" ").map((alias) => names.resolve(alias))).toEqual(aliases.split(" ").map(() => canonical));
  });

  test.each([
    ["F2", '<invoke name="bash"><parameter name="c">id</parameter></invoke>', ["bash", { c: "id" }]],
    ["F4", "<tool_call><bash><c>id</c></bash></tool_call>", ["bash", { c: "id" }]],
    ["F8", '```tool bash\n{"c":1}\n```', ["bash", { c: 1 }]],
    ["F5", "<tool_call>bash>id</tool_call>", ["shell", { command: "id" }]],
    ["F9", '<tools>[]</tools><invoke name="bash"><parameter name="c">id</parameter></invoke>', ["shell", { c: "id" }]],
    ["F10", '[TOOL_CALL]{tool => "bash", args => {--c "id"}}[/TOOL_CALL]', ["shell", { c: "id" }]],
    ["F11", "<FunctionCall>bash<code>c>id</code></FunctionCall>", ["shell", { c: "id" }]],
    ["F12", "bash/c>id", ["shell", { command: "id" }]],
  ])("[TP14][TP13] %s: %s", (_form, text, call) => {
    expect(callsIn(text, ["shell"])).toEqual([call]);
  });
});

describe("bare values", () => {
  test.each([
    ["command", "shell bash sh exec command cmd"],
    ["path", "file_read readfile file_write writefile file_list list_files file file_edit fileedit editfile edit_file"],
    ["query", "memory_recall recall memory_forget forget web_search_tool web_search websearch search"],
    ["content", "memory_store store memstore"],
    ["url", "http_request http fetch curl wget browser_open browser"],
    ["input", "anything message_send sendmessage Shell"],
  ])("[TP16] %s is what %s take", (parameter, names) => {
    expect(names.split(" ").filter((name) => defaultParameter(name) !== parameter)).toEqual([]);
  });

  test.each([
    ["https://a.invalid/x", "curl -s 'https://a.invalid/x'"],
    ["http://a.invalid/'q'", `curl -s 'http://a.invalid/'"'"'q'"'"''`],
    ["https://a.invalid/x y", undefined],
    ["ftp://a.invalid", undefined],
    ["see https://a.invalid", undefined],
  ])("[TP17] %s is fetched by %j", (value, command) => {
    expect(curlCommand(value)).toBe(command);
  });
});
