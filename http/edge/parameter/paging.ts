import { t, type TSchema } from '#engine/value/schema.ts'

/** The page parameters of every list (decision G-05). A limit above `max` becomes `max`; 0 and less are refused. */
export const paging = (size: number, max: number) => ({
  page: t.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'page number, starting at 1' }),
  limit: t.Integer({
    minimum: 1,
    default: size,
    clamp: max,
    description: `items per page; values above ${max} are reduced to ${max}`,
  }),
})

/** A repeatable query parameter; each contains one value or several separated by commas. */
export const list = <S extends TSchema>(
  item: S,
  options: { maxItems?: number; description?: string; examples?: string[][]; formerly?: string } = {},
) => t.Array(item, options)

/** A repeatable query parameter; each contains one value, unchanged. */
export const repeatedParam = <S extends TSchema>(item: S, options: { maxItems?: number; description?: string } = {}) =>
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

export const toPage = <T>(found: { items: T[]; total: number }, q: Page) => ({
  ...found,
  page: q.page,
  limit: q.limit,
  hasMore: q.page * q.limit < found.total,
})

/**
 * Asks for a page of rows, each of which contains the totals of all rows: after the last page, the first row of all is
 * queried for them.
 */
export async function askPage<R extends { total: number }>(
  q: Page,
  ask: (cut: { offset: number; limit: number }) => Promise<readonly R[]>,
): Promise<{ rows: readonly R[]; first: R | undefined; total: number }> {
  const rows = await ask(slice(q))
  const first = rows[0] ?? (q.page > 1 ? (await ask({ offset: 0, limit: 1 }))[0] : undefined)
  return { rows, first, total: first?.total ?? 0 }
}

/** Maximum characters of a link header that clients and proxies accept. */
const linksMax = 4096

/**
 * The headers of a list that is a bare array: its total, and links to neighbouring pages (decision G-34), unless the
 * request is too long to repeat.
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
