/**
 * Reports as files: `format=csv` and `format=parquet` return all rows of a report's list, whatever its pages, with the
 * figures of its JSON. Nested objects become columns named by their path, lists JSON texts.
 */
import { Readable } from 'node:stream'
import { t } from '#engine/value/schema.ts'
import { tooLarge, type Cell } from '#http/edge/csv.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { attachment, type Request, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { sheetPieces } from '#http/file/content.ts'
import { formats, mediaOf, type Format } from '#http/file/sheet.ts'
import { tableOf, type Members } from '#http/file/table.ts'
import { Reply } from '#http/store/reply.ts'

type Ask = Request<unknown, Members, unknown>
type Handle = (request: Ask, services: Services) => Promise<unknown>

const Format = t.Optional(
  t.Enum(formats, { description: 'csv and parquet: all rows of the list as a file, without pages; default json' }),
)
/** Rows asked for at once, where a report has pages: more than a caller may ask for, so that large files take few queries. */
const rowsAtOnce = 5000

/** A report that can also be had as a file. One that has a format of its own stays as it is. */
export function withFormats(report: Route): Route {
  const properties = report.query?.properties ?? {}
  if ('format' in properties) return report
  const answer = report.handle as unknown as Handle
  const { page } = properties as Record<string, Keywords>
  const pages = page === undefined ? 'none' : page.default === undefined ? 'optional' : 'always'
  const handle: Handle = async (request, services) => {
    const { format = 'json', ...query } = request.query as Members & { format?: Format }
    const asked = { ...request, query }
    return format === 'json' ? answer(asked, services) : fileOf(report, { answer, asked, pages }, format, services)
  }
  return {
    ...report,
    query: t.Object({ ...properties, format: Format }),
    alsoMedia: [mediaOf.csv, mediaOf.parquet],
    handle: handle as unknown as Route['handle'],
  }
}

interface Asking {
  answer: Handle
  asked: Ask
  /** `optional`: it is whole if no page is asked for. */
  pages: 'none' | 'optional' | 'always'
}

/** The first page is there before the file begins, so that a refusal is one. @throws as the report, `report_too_large` */
async function fileOf({ path, reply }: Route, asking: Asking, format: Format, services: Services): Promise<unknown> {
  const now = services.now()
  const standing = { ...services, now: () => now }
  const first = await pageOf(asking, 1, standing)
  const table = tableOf(path, reply as Keywords, asking.asked.query, first)
  const rows = cells(asking, first, table, standing)
  const name = `${path.slice(1).replaceAll(/[^\w-]+/g, '_')}.${format}`
  const pieces = sheetPieces({ columns: table.columns, rows }, format)
  return attachment(Readable.from(pieces), { name, media: mediaOf[format] })
}

interface Payload {
  hasMore?: boolean
  total?: number
}

/** Some lists only say how many items there are. */
const isLast = ({ hasMore, total }: Payload, count: number): boolean =>
  hasMore === undefined ? typeof total !== 'number' || count >= total : !hasMore

async function pageOf({ answer, asked, pages }: Asking, page: number, services: Services): Promise<Payload> {
  const { page: _page, limit: _limit, ...whole } = asked.query
  const query = pages === 'none' ? asked.query : pages === 'optional' ? whole : { ...whole, page, limit: rowsAtOnce }
  const found = await answer({ ...asked, query }, services)
  return (found instanceof Reply ? found.payload : found) as Payload
}

async function* cells(
  asking: Asking,
  first: Payload,
  { columns, rowsOf }: ReturnType<typeof tableOf>,
  services: Services,
): AsyncGenerator<Cell[], void> {
  const { rowsMax } = services.exports
  let count = 0
  for (let page = 1, payload = first; ; payload = await pageOf(asking, ++page, services)) {
    for (const row of rowsOf(payload)) {
      if (++count > rowsMax) throw tooLarge(rowsMax)
      yield columns.map(({ path }) => cellOf(valueAt(row, path)))
    }
    if (asking.pages !== 'always' || isLast(payload, count)) return
  }
}

const valueAt = (row: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Members | null | undefined)?.[name], row)

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}
