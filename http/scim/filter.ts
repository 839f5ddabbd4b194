/** SCIM filters as SQL conditions: values are only passed as parameters, and only listed attributes may be used. */
import { parse, type Compare, type Filter } from 'scim2-parse-filter'
import { scimFault } from '#http/scim/message.ts'

/** The SQL of an attribute; `folded` text is compared without case. */
interface FilterColumn {
  sql: string
  is: 'folded' | 'exact' | 'boolean' | 'time'
}

/** By the attribute's path in lower case. */
export type Columns = Readonly<Record<string, FilterColumn>>

export interface SqlCondition {
  sql: string
  params: unknown[]
}

/** Maximum nodes in the tree of a filter: no directory sends more. */
const nodesMax = 50

/** @throws Fault `invalid` with scimType `invalidFilter` */
export function conditionOf(filter: string | undefined, columns: Columns): SqlCondition {
  if (filter === undefined || filter.trim() === '') return { sql: 'true', params: [] }
  let left = nodesMax
  const count = () => {
    if (--left < 0) throw scimFault('tooMany', `A filter can have at most ${nodesMax} parts.`)
  }
  return translateFilter(parseFilter(filter), columns, '', count)
}

/** @throws Fault `invalid` with scimType `invalidFilter` */
export function parseFilter(filter: string): Filter {
  try {
    return parse(filter)
  } catch {
    throw scimFault('invalidFilter', `This is not a valid filter: ${filter.slice(0, 200)}`)
  }
}

function translateFilter(filter: Filter, columns: Columns, above: string, count: () => void): SqlCondition {
  // `and` and `or` do not count themselves.
  if (filter.op !== 'and' && filter.op !== 'or') count()
  if ('compValue' in filter) return toComparison(filter, columnOf(`${above}${filter.attrPath}`, columns))
  switch (filter.op) {
    case 'and':
    case 'or':
      return joinConditions(
        filter.filters.map((one) => translateFilter(one, columns, above, count)),
        filter.op,
      )
    case 'not': {
      // The parser reads `a not b`, which is not a filter, as `not` of both.
      if ('filters' in filter) throw scimFault('invalidFilter', 'A filter cannot have not between two conditions.')
      const { sql, params } = translateFilter(filter.filter, columns, above, count)
      return { sql: `not coalesce((${sql}), false)`, params }
    }
    case '[]':
      return translateFilter(filter.valFilter, columns, `${above}${filter.attrPath}.`, count)
    case 'pr':
      return { sql: `${columnOf(`${above}${filter.attrPath}`, columns).sql} is not null`, params: [] }
  }
}

const joinConditions = (parts: readonly SqlCondition[], word: 'and' | 'or'): SqlCondition => ({
  sql: `(${parts.map(({ sql }) => sql).join(` ${word} `)})`,
  params: parts.flatMap(({ params }) => params),
})

/** The path in lower case, without the name of its schema. */
export const plainPath = (path: string): string =>
  path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, '').toLowerCase()

function columnOf(path: string, columns: Columns): FilterColumn {
  const column = Object.hasOwn(columns, plainPath(path)) ? columns[plainPath(path)] : undefined
  if (!column) throw scimFault('invalidFilter', `Filtering by ${path.slice(0, 100)} is not supported.`)
  return column
}

const orders: Readonly<Record<string, string>> = { gt: '>', ge: '>=', lt: '<', le: '<=' }

function toComparison({ op, attrPath, compValue }: Compare, { sql, is }: FilterColumn): SqlCondition {
  if (compValue === null) return { sql: `${sql} is ${op === 'ne' ? 'not ' : ''}null`, params: [] }
  if (is === 'boolean') return toBooleanCondition(op, attrPath, compValue, sql)
  const text = String(compValue)
  if (is === 'time') return toTimeCondition(op, attrPath, text, sql)
  const [column, value] = is === 'folded' ? ([`lower(${sql})`, text.toLowerCase()] as const) : ([sql, text] as const)
  const made = Object.hasOwn(comparisons, op) ? comparisons[op] : undefined
  if (!made) throw scimFault('invalidFilter', `Text cannot be compared with ${op}.`)
  return made(column, value)
}

const comparisons: Readonly<Record<string, (column: string, value: string) => SqlCondition>> = {
  eq: (column, value) => ({ sql: `${column} = ?`, params: [value] }),
  ne: (column, value) => ({ sql: `${column} is distinct from ?`, params: [value] }),
  co: (column, value) => ({ sql: `strpos(${column}, ?) > 0`, params: [value] }),
  sw: (column, value) => ({ sql: `starts_with(${column}, ?)`, params: [value] }),
  ew: (column, value) => ({ sql: `right(${column}, length(?)) = ?`, params: [value, value] }),
}

/** Directories write booleans in several ways. */
export function truthOf(value: unknown): boolean | undefined {
  const text = typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value.toLowerCase() : ''
  return text === 'true' || (text === 'false' ? false : undefined)
}

function toBooleanCondition(op: string, path: string, given: unknown, sql: string): SqlCondition {
  const value = truthOf(given)
  if (value === undefined || (op !== 'eq' && op !== 'ne')) {
    throw scimFault('invalidFilter', `${path} is a boolean and can only be compared with eq and ne.`)
  }
  return { sql: `${sql} = ?`, params: [op === 'eq' ? value : !value] }
}

function toTimeCondition(op: string, path: string, text: string, sql: string): SqlCondition {
  const order = op === 'eq' ? '=' : orders[op]
  const at = new Date(text)
  if (order === undefined || Number.isNaN(at.getTime())) {
    throw scimFault('invalidFilter', `${path} is a time and can only be compared with eq, gt, ge, lt and le.`)
  }
  return { sql: `${sql} ${order} ?`, params: [at.toISOString()] }
}
