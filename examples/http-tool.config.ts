/** A tool without code: one request to a server, and how its answer is read. */
import { defineConfig } from "countersign";

export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
  risk_profiles: { default: { auto_approve: ["order_status"] } },
  egress: { allow_hosts: ["shop.example.com"] },
  tools: [
    {
      kind: "http",
      name: "order_status",
      description: "Looks up the status of an order",
      input_schema: {
        type: "object",
        properties: { order: { type: "string", pattern: "^[0-9]{6}$" } },
        required: ["order"],
      },
      url: "https://shop.example.com/orders/{order}",
      // The name of a secret; its value is read when the call runs, and never shown.
      headers: { authorization: "Bearer ${secret:SHOP_TOKEN}" },
      response: { select: "$.order", text: "Order {number} is {state}." },
    },
  ],
});
