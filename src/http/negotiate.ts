/** Chooses the media type of a reply by `Accept`. */

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

/**
 * The best of `offers` (ours first), `undefined` when none fits. Between equal qualities the type that was named more exactly wins:
 * a client that names `text/event-stream` beside a wildcard wants the stream.
 */
export function chooseMediaType<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  const ranges = parseAccept(accept);
  const rated = offers.map((offer) => ({ offer, ...rate(offer, ranges) })).filter(({ quality }) => quality > 0);
  return rated.toSorted((left, right) => right.quality - left.quality || right.exactness - left.exactness)[0]?.offer;
}

function parseAccept(accept: string | undefined): readonly MediaRange[] {
  if (accept === undefined || accept.trim() === "") return [{ type: "*/*", quality: 1 }];
  return accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
}

/** The most exact range that covers the offer decides, also when it refuses (RFC 9110, 12.5.1). */
function rate(offer: string, ranges: readonly MediaRange[]): { readonly quality: number; readonly exactness: number } {
  const covering = [offer, `${offer.split("/", 1).join("")}/*`, "*/*"];
  for (const [distance, type] of covering.entries()) {
    const range = ranges.find((candidate) => candidate.type === type);
    if (range !== undefined) return { quality: range.quality, exactness: covering.length - distance };
  }
  return { quality: 0, exactness: 0 };
}
