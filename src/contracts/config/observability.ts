/** Schema of `observability`: logs, traces. Rules: CF2, OT2, OT3. */
import { z } from "zod";
import { bindingName, headers, section, webUrl } from "./fields.ts";

export const observabilitySchema = section({
  log_level: z.enum(["debug", "info", "warn", "error"]).default("info").describe("Least level that is logged."),
  otlp_endpoint: webUrl.nullable().default(null).describe("Where traces are sent; null sends none."),
  otlp_headers: headers.prefault({}).describe("Headers for it; may hold ${secret:NAME}."),
  capture_content: z.boolean().default(false).describe("Put texts of messages and results into traces."),
  analytics_binding: bindingName.nullable().default(null).describe("Name of a Workers Analytics Engine binding."),
});
