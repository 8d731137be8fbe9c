/** once: a value that is made when it is first asked for, so that importing a module costs nothing. Rules: TC15. */

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
