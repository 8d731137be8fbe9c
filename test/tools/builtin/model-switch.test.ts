/** model_switch: what may be asked of it, and when a person must agree. */
import { describe, expect, test } from "vitest";
import { modelSwitch } from "../../../src/tools/builtin/model-switch.ts";
import { runTool } from "../run-tool.ts";

const models = { current: "cloud/small", allowed: ["cloud/large", "other/vendor/large"] };
const run = (args: object) => runTool(modelSwitch, { ...args }, { models });

describe("model_switch", () => {
  test("[TC34] tells the model in use unless it says otherwise, and lists those that may be set", async () => {
    expect(await run({})).toEqual({ success: true, output: "In use: cloud/small" });
    expect(await run({ action: "list_models" })).toEqual({
      success: true,
      output: "In use: cloud/small\n- cloud/large\n- other/vendor/large",
    });
  });

  test("[TC34] sets what is on the list and nothing else", async () => {
    expect(await run({ action: "set", model: "other/vendor/large" })).toMatchObject({
      success: true,
      data: { model: "other/vendor/large" },
    });
    for (const model of ["cloud/huge", "cloud/LARGE", "large", ""]) {
      expect(await run({ action: "set", model })).toMatchObject({ success: false });
    }
    expect(await run({ action: "set" })).toMatchObject({ success: false });
  });

  test("[TC34] asks a person for `set` alone, and is no reading tool", () => {
    const asks = (args: object) => modelSwitch.needsApproval?.({ ...args });
    expect([asks({ action: "set" }), asks({ action: "get" }), asks({})]).toEqual([true, false, false]);
    expect(modelSwitch.readOnly).toBe(false);
  });
});
