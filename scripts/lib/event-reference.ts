/** renderEventReference: the generated part of `docs/events.md`, from the schemas that readers parse events with. Rules: EV1, EV10. */
import { z } from "zod";
import { turnEventSchemas } from "../../src/wire/event-schemas.ts";
import { eventMeanings, sharedMeanings } from "./event-meanings.ts";
import { describeType, type JsonSchemaNode, parseNode } from "./schema-words.ts";

export const referenceBegin =
  "<!-- From here to the next mark: made by scripts/make-event-reference.ts from src/wire/event-schemas.ts. -->";
export const referenceEnd = "<!-- End of what is made. -->";

interface Field {
  /** `receipts[].tool` */
  readonly place: string;
  readonly node: JsonSchemaNode;
  readonly optional: boolean;
}

/** Fields of an object, and under each the fields of what it holds. */
function fieldsOf({ properties = {}, required = [] }: JsonSchemaNode, prefix = ""): readonly Field[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const place = `${prefix}${name}`;
    const inner =
      node.items?.properties === undefined ? fieldsOf(node, `${place}.`) : fieldsOf(node.items, `${place}[].`);
    return [{ place, node, optional: !required.includes(name) }, ...inner];
  });
}

interface Event {
  readonly type: string;
  readonly fields: readonly Field[];
}

const readEvents = (): readonly Event[] =>
  Object.entries(turnEventSchemas).map(([type, schema]) => ({
    type,
    fields: fieldsOf(parseNode(z.toJSONSchema(schema))),
  }));

function meaningOf(type: string, place: string): string {
  const own = eventMeanings[type]?.fields?.[place];
  return own ?? sharedMeanings[place.slice(place.lastIndexOf(".") + 1)] ?? "";
}

/** What has a list or a section below it is described by its rows. */
function describeField({ node }: Field): string {
  if (node.properties !== undefined) return "object";
  if (node.items?.properties !== undefined) return "list of objects";
  return describeType(node);
}

function renderTable(type: string, fields: readonly Field[]): string {
  const rows = fields.map((field) => {
    const cells = [
      `\`${field.place}\`${field.optional ? "?" : ""}`,
      describeField(field),
      meaningOf(type, field.place),
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| field | type | meaning |", "|---|---|---|", ...rows].join("\n");
}

function renderEvent({ type, fields }: Event, envelope: ReadonlySet<string>): string {
  const own = fields.filter(({ place }) => !envelope.has(place));
  const numbered = fields.some(({ place }) => place === "seq");
  const ephemeral = numbered ? "" : " **Ephemeral:** it has no number, is not stored, and is not sent again.";
  const table = own.length === 0 ? "" : `\n\n${renderTable(type, own)}`;
  return `### \`${type}\`\n\n${eventMeanings[type]?.what ?? ""}${ephemeral}${table}\n`;
}

function describeStored(events: readonly Event[]): string {
  const isStored = ({ fields }: Event): boolean => fields.some(({ place }) => place === "seq");
  return events.every(isStored)
    ? "Every event is stored before it is sent and can be read again."
    : "Every event is stored before it is sent and can be read again, except those marked as ephemeral.";
}

/** Markdown, deterministic: the same schemas give the same text. */
export function renderEventReference(): string {
  const events = readEvents();
  const everywhere = (place: string): boolean =>
    events.every(({ fields }) => fields.some((field) => field.place === place));
  const shared = (events[0]?.fields ?? []).filter(({ place }) => place !== "type" && everywhere(place));
  const envelope = new Set(["type", ...shared.map(({ place }) => place)]);
  // It comes first on the wire, and each schema knows one value of it.
  const type: Field = { place: "type", node: { type: "string" }, optional: false };
  const intro = `## Events

${describeStored(events)} A \`?\` marks fields that may be absent. Readers pass over types and fields that they do not know: later releases add some.

Each event begins with these:

${renderTable("", [type, ...shared])}
`;
  const parts = [intro, ...events.map((event) => renderEvent(event, envelope))];
  return `${referenceBegin}\n\n${parts.join("\n")}\n${referenceEnd}`;
}

/** The page with its generated part made anew; everything outside the marks stays. */
export function updateEventPage(page: string): string {
  const [begin, end] = [page.indexOf(referenceBegin), page.indexOf(referenceEnd)];
  if (begin < 0 || end < begin) throw new Error("docs/events.md lacks the marks around its generated part");
  return page.slice(0, begin) + renderEventReference() + page.slice(end + referenceEnd.length);
}
