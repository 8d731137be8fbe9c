/** EgressRefusal: what a tool's fetch rejects with when the guard, and not the network, said no. Rules: SE44. */
import { type EgressClass, describeEgressRefusal } from "../policy/egress-refusal.ts";

/** Its message is all that a tool or the model may learn: the class, never an address. */
export class EgressRefusal extends Error {
  override readonly name = "EgressRefusal";
  readonly class: EgressClass;

  constructor(refusal: EgressClass) {
    super(describeEgressRefusal(refusal));
    this.class = refusal;
  }
}
