/** The raw stored result of a call, as bytes that no browser will run. Rules: SE54, BD8. */
import { decodeNoQuery } from "../../wire/queries.ts";
import { passOn } from "../respond.ts";
import { defineRead, type Route } from "../route.ts";

const inert = {
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; sandbox",
};

export const resultRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/conversations/:conversation/calls/:call/result",
    scope: "conversations:read",
    offers: "stored",
    query: decodeNoQuery,
    answer: async ({ param, open, header }) => {
      const range = header("range");
      const result = await open(param("conversation")).fetch(
        `/calls/${param("call")}/result`,
        range === undefined ? {} : { range },
      );
      return result.ok ? passOn(result.value, result.value.ok ? inert : {}) : result;
    },
  }),
];
