/** A SqlPort whose object ends at a named point: from there on every operation throws what a reset throws. Rules: DU20, DU49. */
import type { SqlPort } from "../../../src/storage/sql-port.ts";
import { type CrashPoint, type Fact, factOf } from "./crash-points.ts";

/** `end` is called once, at the point. */
export function createCrashingPort(sql: SqlPort, point: CrashPoint, end: () => void): SqlPort {
  let depth = 0;
  let facts = new Set<Fact>();
  let ended = false;
  const live = (): void => {
    if (ended) throw new Error("Durable Object reset because its code was updated.");
  };
  const endIfThere = (when: CrashPoint["when"]): void => {
    const { wrote, without } = point;
    const isThere = point.when === when && facts.has(wrote) && (without === undefined || !facts.has(without));
    if (!isThere) return;
    ended = true;
    end();
  };
  const around = <Value>(act: () => Value): Value => {
    live();
    if (depth === 0) facts = new Set();
    depth += 1;
    try {
      const value = act();
      if (depth === 1) endIfThere("before");
      live();
      return value;
    } finally {
      depth -= 1;
    }
  };
  return {
    all: (statement, ...bindings) => {
      live();
      return sql.all(statement, ...bindings);
    },
    run: (statement, ...bindings) => {
      live();
      const fact = factOf(statement, bindings);
      if (fact !== undefined) facts.add(fact);
      return sql.run(statement, ...bindings);
    },
    transaction: (act) => {
      const value = sql.transaction(() => around(act));
      if (depth === 0) endIfThere("after");
      return value;
    },
  };
}
