/** A post that comes again without a key: the event it read last names the turn, its body proves that it is the same post. */
import { expect, test } from "vitest";
import { EventFanout } from "../../durable-objects/event-fanout.ts";
import { readTurn, startTurn } from "../../durable-objects/turn-verbs.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { StartTurn } from "../../src/contracts/verbs.ts";
import { encodeTurn } from "../../src/wire/responses.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";
import { conversation, openFixture } from "../support/storage-fixture.ts";

const file = { agents: { ada: { model_provider: "embedded" } }, providers: { embedded: { kind: "embedded" } } };
const reading = readConfig(file, { env: "dev", boundSecrets: new Set(), parseUrl: (url) => new URL(url) });
if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
const { config } = reading;

test("[SS11] the same body joins the turn of the event, another body or principal does not, and none of them starts one", () =>
  withNodeDatabase(({ sql }) => {
    const { context } = openFixture(sql);
    const parts = { store: context, fanout: new EventFanout(), deployment: { config } };
    const post = (start: Partial<StartTurn>, subject = "key:ann"): string => {
      const caller = {
        principal: { tenant: "acme", subject, channel: "http", scopes: [] },
        conversation,
        requestId: "r",
      };
      const request = { input: [{ type: "text", text: "hi" }], narrowing: {} } as const;
      const started = startTurn(parts, caller, { request, fingerprint: "body", defaultAgent: "ada", ...start });
      if (!started.ok) return started.failure.slug;
      const { turn, after, repeated } = started.value;
      return `${turn.id} after ${after}${repeated ? " again" : ""}`;
    };
    expect(post({})).toBe("trn_1 after 0");
    expect(post({})).toBe("trn_2 after 1");
    expect(post({ resumeAfter: 2 })).toBe("trn_2 after 1 again");
    expect(post({ resumeAfter: 1 })).toBe("trn_1 after 0 again");
    expect(post({ resumeAfter: 2, fingerprint: "other" })).toBe("idempotency-mismatch");
    expect(post({ resumeAfter: 2 }, "key:bob")).toBe("resume-mismatch");
    expect(post({ resumeAfter: 9 })).toBe("resume-mismatch");
    expect(post({ resumeAfter: 2, idempotencyKey: "k", fingerprint: "body" })).toBe("resume-mismatch");
    expect(sql.all("SELECT n FROM turns")).toHaveLength(2);
  }));

test("[SS11] what a turn's body was made of is no part of its document", () =>
  withNodeDatabase(({ sql }) => {
    const fixture = openFixture(sql);
    fixture.accept("trn_1", { fingerprint: "body" });
    const parts = { store: fixture.context };
    const documents = [readTurn(parts, "trn_1")].map((view) => view && encodeTurn(conversation, view));
    expect(documents).toMatchObject([{ turn: "trn_1" }]);
    expect(JSON.stringify(documents)).not.toContain("body");
  }));
