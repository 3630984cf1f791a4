import type { AccountEvent, EventList, Page } from './types.ts';

/** A promise of the first page. `for await` iterates over all items, page after page. */
export type Paged<Item, First = Page<Item>> = Promise<First> & AsyncIterable<Item>;

export function paged<Item>(read: (cursor: { cursor?: string }) => Promise<Page<Item>>): Paged<Item> {
  return withItems(read({}), ({ next_cursor }) => (next_cursor ? read({ cursor: next_cursor }) : undefined));
}

/** Reads pages of events, each from the end of the previous one, until there are no more for now. */
export function pagedEvents(
  read: (cursor: { cursor?: string }) => Promise<EventList>,
): Paged<AccountEvent, EventList> {
  return withItems<AccountEvent, EventList>(read({}), ({ next_cursor, has_more }) =>
    has_more ? read({ cursor: next_cursor }) : undefined,
  );
}

function withItems<Item, One extends { data: Item[] }>(
  first: Promise<One>,
  next: (page: One) => Promise<One> | undefined,
): Paged<Item, One> {
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page: Promise<One> | undefined = first; page; page = next(await page))
        yield* (await page).data;
    },
  });
}
