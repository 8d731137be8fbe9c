/** What people and outside systems never read. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { credentials, OWN_SECRET, PLAIN_SECRET, PRIVATE_KEY, RECEIPT } from "./secret-samples.ts";

const redactor = createRedactor({ secrets: [OWN_SECRET, PLAIN_SECRET, "short"] });
const { text, value } = redactor;

describe("structured values", () => {
  test.each<[JsonValue, JsonValue]>([
    [
      { a: { api_key: { x: 1 } }, max_tokens: 100 },
      { a: { api_key: "[REDACTED]" }, max_tokens: 100 },
    ],
    [
      { token: null, secret: [1, "a"], cookie: true },
      { token: "[REDACTED]", secret: "[REDACTED]", cookie: "[REDACTED]" },
    ],
    [
      { max_tokens: "100", tokens_used: 5 },
      { max_tokens: "[REDACTED]", tokens_used: "[REDACTED]" },
    ],
    [
      [{ note: "password: abcdefgh" }, 1, null, true],
      [{ note: "password: abcd*[REDACTED]" }, 1, null, true],
    ],
    ["api_key=abcdefgh", "api_key=abcd*[REDACTED]"],
    [{}, {}],
  ])("[RE22] %j becomes %j", (given, expected) => {
    expect(value(given)).toEqual(expected);
  });

  test("[RE25] a secret that is itself a key is redacted too", () => {
    const named = createRedactor({ secrets: ["0123456789abcdef"] });
    expect(named.value({ "x 0123456789abcdef": 1 })).toEqual({ "x [REDACTED:own]": 1 });
  });

  test("[RE22] hostile names stay data", () => {
    const redacted = value(JSON.parse('{"__proto__": {"token": "x", "a": 1}, "constructor": 2}'));
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"token":"[REDACTED]","a":1},"constructor":2}');
  });

  test("[RE27] a receipt under a credential key still names the execution", () => {
    expect(value({ token: RECEIPT, receipt: RECEIPT })).toEqual({ token: RECEIPT, receipt: RECEIPT });
    expect(value({ token: `${RECEIPT} and more` })).toEqual({ token: "[REDACTED]" });
  });

  test("[RE26] a value too deep to follow is not shown", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}"${PLAIN_SECRET}"${"]".repeat(100_000)}`) as JsonValue;
    expect(JSON.stringify(value(deep))).toBe(`${"[".repeat(200)}"[REDACTED]"${"]".repeat(200)}`);
  });
});

describe("key words in text", () => {
  test.each([
    ["API_KEY=abcdefgh", "API_KEY=abcd*[REDACTED]"],
    ['token: "12345678"', 'token: "1234*[REDACTED]"'],
    ["password=short", "password=short"],
    ["secret = 'with white space'", "secret = 'with*[REDACTED]'"],
    ['{"client_secret":"ab/cd+ef==","n":1}', '{"client_secret":"ab/c*[REDACTED]","n":1}'],
    [
      '{"body":"{\\"api_key\\":\\"abcdefgh\\",\\"n\\":1}"}',
      '{"body":"{\\"api_key\\":\\"abcd*[REDACTED]\\",\\"n\\":1}"}',
    ],
    ['token: "ab\\"cdefgh" rest', 'token: "ab\\"*[REDACTED]" rest'],
    ["https://x.org/?access_token=abcdefgh&page=2", "https://x.org/?access_token=abcd*[REDACTED]&page=2"],
    ["auth: token=abcdefgh", "auth: toke*[REDACTED]"],
    ["secret: see, token=abcdefgh", "secret: see, token=abcd*[REDACTED]"],
    ["user-key:  abcdefgh.", "user-key:  abcd*[REDACTED]"],
    ['password: "😀😀😀😀😀😀😀😀"', 'password: "😀😀😀😀*[REDACTED]"'],
    ['password: "😀😀😀😀😀😀😀"', 'password: "😀😀😀😀😀😀😀"'],
    ['token: "cut off before its end', 'token: "cut off before its end'],
    ['token: "abcdefghijk and then cut off', 'token: "abcd*[REDACTED] and then cut off'],
    ["token := `abcdefgh`", "token := `abcdefgh`"],
    ["token := abcdefgh; token => abcdefgh", "token := abcd*[REDACTED]; token => abcd*[REDACTED]"],
    ["max_tokens: 12345678", "max_tokens: 12345678"],
    ["max_tokens: abcdefgh", "max_tokens: abcd*[REDACTED]"],
    ["the token is abcdefgh", "the token is abcdefgh"],
    ["author: abcdefghijk", "author: abcdefghijk"],
    ["the tokens", "the tokens"],
  ])("[RE23] %s", (given, expected) => {
    expect(text(given)).toBe(expected);
  });

  test.each([
    ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer [REDACTED]"],
    ["authorization: bearer abc", "authorization: bearer [REDACTED]"],
    ['{"Authorization": "Bearer abc.def-ghi"}', '{"Authorization": "Bearer [REDACTED]"}'],
    ["Authorization: Bearer 'abc'", "Authorization: Bearer '[REDACTED]'"],
    ["curl -H 'Authorization: Basic dXNlcjpwdw=='", "curl -H 'Authorization: Basic [REDACTED]'"],
    ["got Bearer abcdefgh~1, then", "got Bearer [REDACTED], then"],
    ["Basic dXNlcjpwYXNz", "Basic [REDACTED]"],
    ["Bearer of news", "Bearer of news"],
  ])("[RE24] %s", (given, expected) => {
    expect(text(given)).toBe(expected);
  });
});

describe("known shapes", () => {
  test.each(credentials)("[SE69][RE25] %s", (_, credential) => {
    expect(text(`before ${credential} after`)).toBe("before [REDACTED] after");
    expect(text(`"${credential}"`)).toBe('"[REDACTED]"');
    expect(text(`(x=${credential})`)).toBe("(x=[REDACTED])");
  });

  test("[SE69] a private key goes from its first line to its last, also with escaped line breaks", () => {
    expect(text(`a\n${PRIVATE_KEY}\nb`)).toBe("a\n[REDACTED]\nb");
    expect(text(JSON.stringify({ pem: PRIVATE_KEY }))).toBe('{"pem":"[REDACTED]"}');
  });

  test("[SE69] a private key that was cut goes as far as it looks like one, at either end", () => {
    expect(text(`a\n${PRIVATE_KEY.slice(0, 300)}\n[… 400 characters removed …]`)).toMatch(/^a\n\[REDACTED\]\[… 400/);
    expect(text(`[… 400 characters removed …]\n${PRIVATE_KEY.slice(-300)}, b`)).toBe(
      "[… 400 characters removed …][REDACTED], b",
    );
  });

  test("[SE69] a certificate is no private key", () => {
    const certificate = PRIVATE_KEY.replaceAll("RSA PRIVATE KEY", "CERTIFICATE");
    expect(text(certificate)).toBe(certificate);
  });

  test.each([
    ["postgres://user:pa:ss%21@db.example.com/x", "postgres://[REDACTED]@db.example.com/x"],
    ["https://example.com:8443/a@b", "https://example.com:8443/a@b"],
    ["Server=x;Pwd=hunter2;Database=y", "Server=x;Pwd=[REDACTED];Database=y"],
    ["Server=x;Password=Abcd1234!@#;y", "Server=x;Password=[REDACTED];y"],
    ["Server=x;Password=Abcd1234;y", "Server=x;Password=Abcd*[REDACTED];y"],
    ["Cookie: sid=abc; theme=dark\nHost: x", "Cookie: [REDACTED]\nHost: x"],
    ["set-cookie: sid=abc; Path=/; Expires=Wed, 21 Oct", "set-cookie: [REDACTED]"],
    ['{"cookie":"sid=abc; theme=dark","n":1}', '{"cookie":"[REDACTED]","n":1}'],
    ["Cookie: a sweet one", "Cookie: a sweet one"],
  ])("[SE69] %s", (given, expected) => {
    expect(text(given)).toBe(expected);
  });
});

describe("own secrets", () => {
  const bytes = Buffer.from(OWN_SECRET);
  test.each([
    ["plain", OWN_SECRET],
    ["JSON-escaped", JSON.stringify(OWN_SECRET).slice(1, -1)],
    ["JSON-escaped in ASCII", JSON.stringify(OWN_SECRET).slice(1, -1).replaceAll("é", "\\u00e9")],
    ["JSON-escaped with slashes", JSON.stringify(OWN_SECRET).slice(1, -1).replaceAll("/", "\\/")],
    ["percent-encoded", encodeURIComponent(OWN_SECRET)],
    ["percent-encoded in lower case", encodeURIComponent(OWN_SECRET).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ["as a form has it", encodeURIComponent(OWN_SECRET).replaceAll("%20", "+")],
    ["hex", bytes.toString("hex")],
    ["hex in upper case", bytes.toString("hex").toUpperCase()],
  ])("[SE68] %s", (_, spelling) => {
    expect(text(`<${spelling}>`)).toBe("<[REDACTED:own]>");
  });

  test("[SE68] base64 and base64url at any alignment", () => {
    for (const encoding of ["base64", "base64url"] as const) {
      for (const before of ["", "x", "xy", "xyz"]) {
        const encoded = Buffer.concat([Buffer.from(before), bytes, Buffer.from("!?")]).toString(encoding);
        expect(text(encoded)).toMatch(/^.{0,4}\[REDACTED:own\].{0,6}$/);
      }
    }
  });

  test("[SE69] they come first: no part of one is shown as the beginning of a value", () => {
    expect(text(`api_key=${PLAIN_SECRET}`)).toBe("api_key=[REDACTED:own]");
    expect(text(`{"token":"${PLAIN_SECRET}"}`)).toBe('{"token":"[REDACTED:own]"}');
    expect(text(`Authorization: Bearer ${PLAIN_SECRET}`)).toBe("Authorization: Bearer [REDACTED:own]");
  });

  test("[SE68] one that is shorter than eight characters is an ordinary word", () => {
    expect(text("a short word")).toBe("a short word");
    expect(createRedactor({ secrets: ["", "x"] }).text("x")).toBe("x");
  });

  test("[SE68] of two that share a beginning the longer one goes whole", () => {
    const both = createRedactor({ secrets: ["abcdefgh", "abcdefgh-and-more"] });
    expect(both.text("abcdefgh-and-more abcdefgh")).toBe("[REDACTED:own] [REDACTED:own]");
  });
});

describe("what passes", () => {
  test.each([
    ["a receipt", RECEIPT],
    ["a receipt line", `ok\n\n[receipt: ${RECEIPT}]`],
    ["a receipt as a token", `token: ${RECEIPT}, Bearer ${RECEIPT}, "token":"${RECEIPT}"`],
    ["a receipt whose tag looks like a key", `zc-receipt-1-x-sk-${"a".repeat(38)}`],
    [
      "ids",
      "call_t_0123456789abcdef_12 turn 01J0000000000000000000000A conversation-of-core 0b9f0c1e-1111-4222-8333-444455556666",
    ],
    ["a digest", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["a cursor", "after=1042 Last-Event-ID: 1042"],
    ["half a pair", "a\ud83d b\udc00"],
    ["nothing", ""],
  ])("[RE27][SE71] %s", (_, given) => {
    expect(text(given)).toBe(given);
  });
});
