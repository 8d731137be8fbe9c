/** Entry of the Worker: the HTTP app with the Durable Object classes it binds. */
import { Hono } from "hono";
import config from "#config";

export { ConversationObject } from "../durable-objects/conversation.ts";

const app = new Hono<{ Bindings: Cloudflare.Env }>();

app.get("/healthz", (context) => context.json({ status: "ok", agents: Object.keys(config.agents).length }));

export default app;
