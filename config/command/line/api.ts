/** The API as commands use it: in this process as the operator, or of a product elsewhere with a token. */

/** Members that are undefined are left out. */
export interface RouteInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  body?: object
}

/** One page of a list. */
export interface ListPage<T> {
  items: readonly T[]
  hasMore: boolean
}

export interface Api {
  /** The payload that `METHOD path` answers. @throws Fault as the route refuses */
  ask<T>(name: string, given?: RouteInput): Promise<T>
}

/** The items of all pages of a list. */
export async function everyItem<T>(api: Api, name: string, query: RouteInput['query'] = {}): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const found = await api.ask<ListPage<T>>(name, { query: { ...query, limit: 100, page } })
    items.push(...found.items)
    if (!found.hasMore) return items
  }
}
