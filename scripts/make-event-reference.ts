/** Writes the generated part of `docs/events.md`; run it after a change of the event schemas. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { updateEventPage } from "./lib/event-reference.ts";
import { projectRoot } from "./lib/project-root.ts";

const page = join(projectRoot, "docs/events.md");
writeFileSync(page, updateEventPage(readFileSync(page, "utf8")));
