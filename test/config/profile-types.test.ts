/** What reading makes of profiles has exactly the types that the engine knows. */
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { AgentProfile, RiskProfile, RuntimeProfile } from "../../src/contracts/agent-profile.ts";
import type { agentSchema } from "../../src/contracts/config/agent.ts";
import type { riskProfileSchema } from "../../src/contracts/config/risk-profile.ts";
import type { runtimeProfileSchema } from "../../src/contracts/config/runtime-profile.ts";

/** Flattens intersections and mapped types, so that only members count. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Plain<Value[Key]> }
    : Value;

test("[CF2] profiles: no key more, none less, none of another type", () => {
  expectTypeOf<Plain<z.output<typeof agentSchema>>>().toEqualTypeOf<Plain<Omit<AgentProfile, "alias">>>();
  expectTypeOf<Plain<z.output<typeof riskProfileSchema>>>().toEqualTypeOf<Plain<RiskProfile>>();
  expectTypeOf<Plain<z.output<typeof runtimeProfileSchema>>>().toEqualTypeOf<Plain<RuntimeProfile>>();
});
