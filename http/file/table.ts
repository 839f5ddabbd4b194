/** The table of a report: which of its lists has the rows, and the columns by the schema of a row. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import type { SheetColumn } from '#http/file/sheet.ts'

export type Members = Readonly<Record<string, unknown>>

export interface FileColumn extends SheetColumn {
  /** Names from the row to its value. */
  path: readonly string[]
}

/** The list of a payload that has the rows: its name, or a function where rows are made of several. */
type List = string | ((payload: Members, query: Members) => readonly Members[])

interface Table {
  list: List
  columns: (query: Members, reply: Keywords) => FileColumn[]
}

const column = (name: string, kind: SheetColumn['kind']): FileColumn => ({ name, kind, path: [name] })
const texts = (names: readonly string[]): FileColumn[] => names.map((name) => column(name, 'text'))
const dimsOf = ({ group_by = [] }: Members): string[] => group_by as string[]
const compared = ({ compare }: Members): FileColumn[] =>
  compare === undefined ? [] : ['previousUSD', 'deltaUSD', 'deltaPercent'].map((name) => column(name, 'float'))

/** Reports whose rows are not simply one of their lists. */
const tables: Readonly<Record<string, Table>> = {
  // One row for each series and period.
  '/reports/costs/series': {
    list: ({ periods, series, other }) => {
      const all = [...(series as Members[]), ...(other ? [{ label: '(other)', ...other }] : [])]
      return all.flatMap(({ key = {}, label, values }: Members) =>
        (periods as string[]).map((period, at) => ({
          ...(key as Members),
          label,
          period,
          costUSD: (values as number[])[at],
        })),
      )
    },
    columns: (query) => [...texts([...dimsOf(query), 'label', 'period']), column('costUSD', 'float')],
  },
  // One row for each path through all dimensions.
  '/reports/costs/breakdown': {
    list: ({ nodes }, query) => {
      const dims = dimsOf(query)
      return (nodes as Members[])
        .filter(({ dim }) => dim === dims.at(-1))
        .map(({ id, valueUSD, ...node }) => {
          const values = String(id)
            .split('|')
            .map((text) => text.replaceAll('%7C', '|').replaceAll('%25', '%'))
          const named = Object.fromEntries(dims.map((dim, at) => [dim, values[at]]))
          return { label: values.at(-1), ...node, ...named, costUSD: valueUSD }
        })
    },
    columns: (query) => [...texts([...dimsOf(query), 'label']), column('costUSD', 'float'), ...compared(query)],
  },
  // One row for each team and period.
  '/reports/teams/trends': {
    list: ({ items }) =>
      (items as Members[]).flatMap(({ teamID, teamName, points }) =>
        (points as Members[]).map((point) => ({ teamID, teamName, ...point })),
      ),
    columns: () => [
      ...texts(['teamID', 'teamName', 'date']),
      ...['costUSD', 'directUSD', 'sharedUSD'].map((name) => column(name, 'float')),
    ],
  },
  // One row for each provider.
  '/reports/providers/summary': {
    list: (payload) => Object.entries(payload).map(([provider, figures]) => ({ provider, ...(figures as Members) })),
    columns: (query) => [
      column('provider', 'text'),
      column('count', 'float'),
      column('costUSD', 'float'),
      ...compared(query),
    ],
  },
  // Its lists have one value for each day.
  '/reports/resources/metrics/daily': {
    list: ({ days, resourceUid: _uid, ...figures }) =>
      (days as string[]).map((day, at) => ({ day, ...(valuesAt(figures, at) as Members) })),
    columns: (_, { properties = {} }) => {
      const { days: _days, resourceUid: _uid, ...figures } = properties
      return [
        column('day', 'text'),
        ...columnsOf({ properties: figures }).map((one) => ({ ...one, kind: 'float' as const })),
      ]
    },
  },
  // One row for each rise and fall.
  '/reports/drivers': {
    list: ({ dimensions }) =>
      (dimensions as Members[]).flatMap(({ dimension, rises, falls }) =>
        [...(rises as Members[]), ...(falls as Members[])].map((one) => ({ dimension, ...one })),
      ),
    columns: () => [
      ...texts(['dimension', 'key', 'label', 'state']),
      ...['costUSD', 'previousUSD', 'deltaUSD', 'deltaPercent', 'usageUSD', 'priceUSD', 'otherUSD'].map((name) =>
        column(name, 'float'),
      ),
    ],
  },
}

/** Lists that are not called items. */
const listNames: Readonly<Record<string, string>> = {
  '/reports/resources/summary': 'providers',
  '/reports/forecast': 'days',
  '/reports/savings/projection': 'months',
  '/reports/savings/claims/:claimID': 'days',
}

/** The table of the report of a path, for one query and its first payload. */
export function tableOf(
  path: string,
  reply: Keywords,
  query: Members,
  first: unknown,
): { columns: FileColumn[]; rowsOf: (payload: unknown) => readonly Members[] } {
  const own = tables[path]
  if (own)
    return { columns: own.columns(query, reply), rowsOf: (payload) => listed(own.list, payload as Members, query) }
  const name = listNames[path] ?? 'items'
  const rowsOf = (payload: unknown): readonly Members[] =>
    Array.isArray(payload)
      ? (payload as Members[])
      : Object.hasOwn(payload as Members, name)
        ? listed(name, payload as Members, query)
        : [payload as Members]
  const shapes = (reply.anyOf ?? [reply]).map(
    (one) => (one.type === 'array' ? one.items : one.properties?.[name]?.items) ?? one,
  )
  const [row = {}] = rowsOf(first)
  const shape = shapes.find(({ required = [] }) => required.every((member) => member in row)) ?? shapes[0]!
  return { columns: columnsOf(shape), rowsOf }
}

/** The values at an index of lists, at any depth of objects. */
const valuesAt = (value: unknown, at: number): unknown =>
  Array.isArray(value)
    ? value[at]
    : Object.fromEntries(Object.entries(value as Members).map(([name, one]) => [name, valuesAt(one, at)]))

const listed = (list: List, payload: Members, query: Members): readonly Members[] =>
  typeof list === 'string' ? ((payload[list] ?? []) as Members[]) : list(payload, query)

/** The columns of a row. A union has all members of its objects. */
function columnsOf(row: Keywords, before: readonly string[] = []): FileColumn[] {
  const found = new Map<string, FileColumn>()
  for (const one of row.anyOf ?? [row])
    for (const [name, schema] of Object.entries((one as Keywords).properties ?? {})) {
      const path = [...before, name]
      const shape = withoutNull(schema as Keywords)
      const nested = shape.properties || shape.anyOf?.some((part) => (part as Keywords).properties)
      for (const each of nested ? columnsOf(shape, path) : [{ name: path.join('.'), kind: kindOf(shape), path }])
        found.set(each.name, found.get(each.name) ?? each)
    }
  return [...found.values()]
}

/** The only alternative to null, or all alternatives. */
function withoutNull(schema: Keywords): Keywords {
  const parts = (schema.anyOf ?? []).filter(({ type }: Keywords) => type !== 'null') as Keywords[]
  return parts.length === 1 ? parts[0]! : schema
}

const kinds: Readonly<Record<string, SheetColumn['kind']>> = {
  number: 'float',
  integer: 'float',
  boolean: 'flag',
  string: 'text',
}

function kindOf({ type, format }: Keywords): SheetColumn['kind'] {
  if (format === 'date-time') return 'time'
  return kinds[type as string] ?? 'json'
}
