/** snake_case to camelCase: nothing is lost, nothing that the user named is touched. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { camelKey, camelKeys } from "../../src/contracts/config/camel-keys.ts";
import { userMap } from "../../src/contracts/config/fields.ts";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const snakeKey = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("_"));
const toSnake = (key: string): string => key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

test("[CF2] a key can be read back from its translation", () => {
  fc.assert(
    fc.property(snakeKey, (key) => {
      expect(toSnake(camelKey(key))).toBe(key);
    }),
  );
});

test("[CF2] translation keeps every value, in order, and adds none", () => {
  fc.assert(
    fc.property(fc.dictionary(snakeKey, fc.jsonValue()), (settings) => {
      const translated = Object.entries(camelKeys(settings));
      expect(translated).toEqual(Object.entries(settings).map(([key, value]) => [camelKey(key), value]));
    }),
  );
});

test("[CF2][CF4] keys that the file chose keep their spelling and their order", () => {
  const schema = userMap(z.string(), z.number());
  const names = fc.uniqueArray(fc.oneof(snakeKey, fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,12}$/)), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(names, (keys) => {
      const file = Object.fromEntries(keys.map((key, index) => [key, index]));
      expect([...schema.parse(file)]).toEqual(keys.map((key, index) => [key, index]));
    }),
  );
});
