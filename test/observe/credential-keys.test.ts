/** Which member names hold a credential. */
import { expect, test } from "vitest";
import { isCredentialKey, isTokenCount } from "../../src/observe/credential-keys.ts";

test.each([
  "secret",
  "clientSecret",
  "PASSWORD",
  "db_passwd",
  "token",
  "accessToken",
  "max_tokens",
  "bearer",
  "credentials",
  "Set-Cookie",
  "Authorization",
  "api_key",
  "api-key",
  "APIKEY",
  "x-api-key-2",
  "privateKey",
  "private_key_id",
  "user_key",
  "auth",
  "x-auth",
  "auth_url",
  "proxy-auth-2",
])("[RE21] %s is one", (key) => {
  expect(isCredentialKey(key)).toBe(true);
});

test.each([
  "author",
  "oauth",
  "authority",
  "unauthenticated",
  "api",
  "key",
  "public_key",
  "api.key",
  "path",
  "tok",
  "",
  "pass",
])("[RE21] %s is none", (key) => {
  expect(isCredentialKey(key)).toBe(false);
});

test("[RE21] a number of tokens is told by the end of its key", () => {
  expect(["max_tokens", "TOKENS", "tokens_used", "token"].map(isTokenCount)).toEqual([true, true, false, false]);
});
