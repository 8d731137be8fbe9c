/** Types of the Worker's bindings, variables with secrets. Nothing imports this file: it augments `Cloudflare.Env`. */
import type { ErasableConversation, TenantVerbs } from "./contracts/tenant.ts";
import type { ConversationStub } from "./http/dependencies.ts";

/** Stubs are typed by our own verbs: the platform's derivation of them gives up on recursive JSON. */
interface ConversationNamespace extends DurableObjectNamespace {
  getByName(name: string): DurableObjectStub & ConversationStub & ErasableConversation;
}
interface TenantNamespace extends DurableObjectNamespace {
  getByName(name: string): DurableObjectStub & TenantVerbs;
}

declare global {
  namespace Cloudflare {
    interface Env {
      CONVERSATIONS: ConversationNamespace;
      TENANTS: TenantNamespace;
      RECEIPT_KEYS?: string;
      RECEIPT_ACTIVE_KID?: string;
      COUNTERSIGN_ENV?: string;
      COUNTERSIGN_DEV_KEY?: string;
      COUNTERSIGN_COMMIT?: string;
      COUNTERSIGN_ADMIN_KEY_DIGEST?: string;
      CHAIN_SIGNING_KEY?: string;
    }
    /** Gives `exports` of `cloudflare:workers` its types in tests. */
    interface GlobalProps {
      mainModule: typeof import("./worker.ts");
      durableNamespaces: "ConversationObject" | "TenantObject";
    }
  }
}
