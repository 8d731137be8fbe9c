/** Where the next page of a list that goes back in time begins; a page may hold less than was asked for. */

/** `last` is the number of a page's last item: numbers are dense, so 1 was the first there ever was. */
export const encodeNextBefore = (last: number | undefined): number | null =>
  last === undefined || last === 1 ? null : last;
