/** Reads the imports of a source file: static, re-exported, dynamic, in types. */
import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

export interface Import {
  readonly from: string;
  /** A path relative to the repository, or a package's name without its subpath. */
  readonly target: string;
  readonly local: boolean;
  readonly typeOnly: boolean;
}

const fromClause = /^(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?)\s*from\s*["']([^"']+)["']/gm;
const bareImport = /^import\s*()["']([^"']+)["']/gm;
const importCall = /\bimport\(\s*()["']([^"']+)["']/g;

/** `@noble/hashes/hmac.js` is `@noble/hashes`; `node:fs` and `cloudflare:workers` stay whole. */
function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export function readImports({ path, text }: SourceFile): Import[] {
  return [fromClause, bareImport, importCall].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ([, type, specifier = ""]) => {
      const local = specifier.startsWith(".");
      const target = local ? posix.join(posix.dirname(path), specifier) : packageName(specifier);
      return { from: path, target, local, typeOnly: type !== undefined && type !== "" };
    }),
  );
}
