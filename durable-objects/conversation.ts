/** The object of one conversation: constructor wiring, RPC verbs, alarm. */
import { DurableObject } from "cloudflare:workers";

export class ConversationObject extends DurableObject {}
