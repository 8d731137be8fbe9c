/** Where the repository lies: scripts work from any directory. */
import { resolve } from "node:path";

export const projectRoot = resolve(import.meta.dirname, "../..");
