/** Telling an object that went away from a bug, by the error it leaves. */
import { expect, test } from "vitest";
import { reachObject } from "../../src/http/reach-object.ts";

const quick = { idempotent: false, timeoutMs: 1000 };
const reject = (error: Error) =>
  reachObject(async () => {
    throw error;
  }, quick);

test.each([
  "Durable Object reset because its code was updated.",
  "The runtime has been upgraded.",
  "Network connection lost.",
  "This instance is no longer active.",
  "The object exceeded its memory limit and was reset.",
  "Durable Object storage operation exceeded timeout which caused object to be reset.",
])("[DU35] a reset by its message: %s", async (message) => {
  expect(await reject(new Error(message))).toMatchObject({ ok: false, failure: { slug: "overloaded" } });
});

test.each(["durableObjectReset", "overloaded", "retryable"])("[DU35] a reset by the flag %s", async (flag) => {
  expect(await reject(Object.assign(new Error("x"), { [flag]: true }))).toMatchObject({ ok: false });
});

test("[DU35] any other failure stays what it was", async () => {
  const bug = new TypeError("x is not a function");
  await expect(reject(bug)).rejects.toBe(bug);
  await expect(reject(Object.assign(new Error("y"), { retryable: "yes" }))).rejects.toThrow("y");
});

test("[DU38] an object that never answers is given up, and not asked again", async () => {
  let attempts = 0;
  const never = (): Promise<never> => {
    attempts += 1;
    return new Promise(() => undefined);
  };
  expect(await reachObject(never, { idempotent: true, timeoutMs: 5 })).toMatchObject({ ok: false });
  expect(attempts).toBe(1);
});

test("[DU35] what has the same effect twice is tried twice, never three times", async () => {
  let attempts = 0;
  const gone = async (): Promise<never> => {
    attempts += 1;
    return await Promise.reject(Object.assign(new Error("Network connection lost."), { retryable: true }));
  };
  expect(await reachObject(gone, { idempotent: true, timeoutMs: 1000 })).toMatchObject({ ok: false });
  expect(attempts).toBe(2);
});
