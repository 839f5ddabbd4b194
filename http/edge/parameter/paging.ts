import { t, type TSchema } from '#engine/value/schema.ts'

/** The page parameters of every list (decision G-05). A limit over `max` is taken as `max`; 0 and less are refused. */
export const paging = (size: number, max: number) => ({
  page: t.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'page number, starting at 1' }),
  limit: t.Integer({
    minimum: 1,
    default: size,
    clamp: max,
    description: `items per page; values above ${max} are reduced to ${max}`,
  }),
})

/** A query parameter that may be given again and again, each holding one value or several joined by commas. */
export const list = <S extends TSchema>(
  item: S,
  options: { maxItems?: number; description?: string; examples?: string[][] } = {},
) => t.Array(item, options)

/** A query parameter that may be given again and again, each holding one value as it is. */
export const repeated = <S extends TSchema>(item: S, options: { maxItems?: number; description?: string } = {}) =>
  t.Array(item, { ...options, explode: true })

export const pageOf = <S extends TSchema>(item: S) =>
  t.Object({
    items: t.Array(item),
    total: t.Integer({ examples: [1] }),
    page: t.Integer({ examples: [1] }),
    limit: t.Integer({ examples: [20] }),
    hasMore: t.Boolean({ examples: [false] }),
  })

export interface Page {
  page: number
  limit: number
}

export const slice = (q: Page) => ({ offset: (q.page - 1) * q.limit, limit: q.limit })

export const paged = <T>(found: { items: T[]; total: number }, q: Page) => ({
  ...found,
  page: q.page,
  limit: q.limit,
  hasMore: q.page * q.limit < found.total,
})

/** One of the rows of a page, each of which says what all rows come to: behind the last page the first row of all is asked for. */
export const anyRow = async <R>(
  rows: readonly R[],
  { page }: Page,
  ask: (page: { offset: number; limit: number }) => Promise<readonly R[]>,
): Promise<R | undefined> => rows[0] ?? (page > 1 ? (await ask({ offset: 0, limit: 1 }))[0] : undefined)

/** Characters of links that clients and proxies take in a header. */
const linksMax = 4096

/**
 * The headers of a list that is a bare array: its total, and links to the pages beside this one (decision G-34) unless
 * what was asked is too long to be said again.
 */
export function pageHeaders(url: string, total: number, q: Page): Record<string, string> {
  const at = (page: number, rel: string) => {
    const to = new URL(url, 'http://here')
    to.searchParams.set('page', String(page))
    to.searchParams.set('limit', String(q.limit))
    return `<${to.pathname}${to.search}>; rel="${rel}"`
  }
  const links = [
    ...(q.page * q.limit < total ? [at(q.page + 1, 'next')] : []),
    ...(q.page > 1 ? [at(q.page - 1, 'prev')] : []),
  ].join(', ')
  return { 'X-Total-Count': String(total), ...(links !== '' && links.length <= linksMax && { Link: links }) }
}
