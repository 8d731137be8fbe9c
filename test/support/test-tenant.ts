/** A tenant at the port of a conversation: it grants everything and remembers what it was told, or says what a test wants it to. */
import type { TenantPort } from "../../durable-objects/tenant-port.ts";
import { succeed } from "../../src/contracts/result.ts";

type Said = {
  [Verb in keyof TenantPort]: readonly [verb: Verb, told: Parameters<TenantPort[Verb]>[0]];
}[keyof TenantPort];

export interface TestTenant extends TenantPort {
  readonly heard: readonly Said[];
}

export function createTestTenant(change: Partial<TenantPort> = {}): TestTenant {
  const heard: Said[] = [];
  const answers: TenantPort = {
    admit: async () => succeed(null),
    reserve: async () => succeed({ state: "held" }),
    renew: async () => succeed({ state: "held" }),
    commit: async () => succeed(null),
    release: async () => succeed(null),
    project: async () => succeed(null),
    ...change,
  };
  return {
    heard,
    admit: (request) => (heard.push(["admit", request]), answers.admit(request)),
    reserve: (request) => (heard.push(["reserve", request]), answers.reserve(request)),
    renew: (reservation) => (heard.push(["renew", reservation]), answers.renew(reservation)),
    commit: (spend) => (heard.push(["commit", spend]), answers.commit(spend)),
    release: (reservation) => (heard.push(["release", reservation]), answers.release(reservation)),
    project: (facts) => (heard.push(["project", facts]), answers.project(facts)),
  };
}
