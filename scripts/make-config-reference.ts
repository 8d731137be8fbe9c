/** Writes `docs/config.md`; run it after a change of the config schema. Rules: CF7. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderConfigReference } from "./lib/config-reference.ts";
import { projectRoot } from "./lib/project-root.ts";

const folder = join(projectRoot, "docs");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "config.md"), renderConfigReference());
