/** Test projects: plain Node, workerd, real `wrangler dev` servers. */
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The same three names that `wrangler.toml` aliases; zod by exact match, so that `zod/v4` stays. */
const alias = [
  { find: /^#config$/, replacement: at("./countersign.config.ts") },
  { find: /^countersign$/, replacement: at("./src/config.ts") },
  { find: /^zod$/, replacement: at("./node_modules/zod/index.js") },
];

/** Catches all outbound traffic of the Worker under test: no test needs a network. */
function refuseNetwork(request: { url: string }): never {
  throw new Error(`no network in tests: ${request.url}`);
}

/** The Worker behind the binding of the tests: it says where it was called, and with what. */
async function answerAsService(request: { url: string; json(): Promise<unknown> }): Promise<Response> {
  const { arguments: data } = (await request.json()) as { arguments: unknown };
  return Response.json({ success: true, output: new URL(request.url).pathname, data });
}

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "node",
          environment: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workers/**", "test/e2e/**", "test/crash/**"],
        },
      },
      {
        resolve: { alias },
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              outboundService: refuseNetwork,
              serviceBindings: { TEST_SERVICE: answerAsService },
              bindings: {
                COUNTERSIGN_ENV: "dev",
                COUNTERSIGN_DEV_KEY: "ck_dev_test",
                RECEIPT_KEYS: JSON.stringify({ test: Buffer.alloc(32, 7).toString("base64url") }),
                RECEIPT_ACTIVE_KID: "test",
              },
            },
          }),
        ],
        test: { name: "workers", include: ["test/workers/**/*.test.ts"], testTimeout: 15_000 },
      },
      {
        resolve: { alias },
        test: {
          name: "e2e",
          environment: "node",
          include: ["test/e2e/**/*.test.ts", "test/crash/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
