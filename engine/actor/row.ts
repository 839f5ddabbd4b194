import type { EntityMetadata } from '@mikro-orm/core'
import type { Address } from './address.ts'

interface Column {
  property: string
  column: string
  /** As PostgreSQL names it. */
  type: string
  isDate: boolean
  isNullable: boolean
}

/** How an actor's state and its row map onto each other; made once from the entity's own metadata. */
export interface RowShape {
  table: string
  columns: readonly Column[]
  /**
   * The columns of the primary key. `place` is undefined for organization-wide kinds, and the key's own column for actors
   * that are their place, such as a cloud account.
   */
  address: { orgId: string; place: string | undefined; key: string }
}

/** @throws when the address is not exactly the entity's primary key. */
export function rowShape(meta: EntityMetadata, address: { orgId: string; place?: string; key: string }): RowShape {
  const columns = meta.props
    .filter((prop) => prop.persist !== false)
    .map((prop) => ({
      property: prop.name,
      column: prop.fieldNames[0]!,
      type: prop.columnTypes[0]!,
      isDate: prop.runtimeType === 'Date',
      isNullable: prop.nullable === true,
    }))
  const column = (property: string) => columns.find((c) => c.property === property)?.column ?? ''
  const keys = new Set([address.orgId, address.place, address.key].filter((p) => p !== undefined))
  if (keys.size !== meta.primaryKeys.length || ![...keys].every((p) => meta.primaryKeys.includes(p as never))) {
    throw new Error(`${meta.className}: its address must be its primary key`)
  }
  return {
    table: meta.tableName,
    columns,
    address: {
      orgId: column(address.orgId),
      place: address.place === undefined ? undefined : column(address.place),
      key: column(address.key),
    },
  }
}

/** State to row: column names, dates as ISO text. */
export function toRow(shape: RowShape, state: object): object {
  const row: Record<string, unknown> = {}
  for (const { property, column } of shape.columns) row[column] = (state as Record<string, unknown>)[property] ?? null
  return row
}

/** The columns in which two states of a row differ, in the order of the shape. */
export const columnsChanged = (shape: RowShape, before: object, after: object): string[] =>
  shape.columns
    .filter(({ property }) => {
      const [was, is] = [(before as Record<string, unknown>)[property], (after as Record<string, unknown>)[property]]
      return was !== is && !sameData(was ?? null, is ?? null)
    })
    .map(({ column }) => column)

export function fromRow(shape: RowShape, row: object): Record<string, unknown> {
  const state: Record<string, unknown> = {}
  for (const { property, column, isDate } of shape.columns) {
    const value = (row as Record<string, unknown>)[column] ?? null
    state[property] = isDate && typeof value === 'string' ? new Date(value) : value
  }
  return state
}

/** The address a row stands at. */
export const rowKey = (shape: RowShape, row: object, orgWide: string): Address => {
  const r = row as Record<string, string>
  const { orgId, place, key } = shape.address
  return { orgId: r[orgId]!, place: place === undefined ? orgWide : r[place]!, key: r[key]! }
}

/** A deep copy of plain data and dates: what a turn may change without leaving a trace when it throws. */
export function deepCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return new Date(value) as T
  if (Array.isArray(value)) return value.map(deepCopy) as T
  // A property called __proto__ stays one: a spread defines what it copies, and what is its own is then set.
  const out = { ...value } as Record<string, unknown>
  for (const key in out) {
    const entry = out[key]
    if (typeof entry === 'object' && entry !== null) out[key] = deepCopy(entry)
  }
  return out as T
}

/** Whether two states are the same data. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date || b instanceof Date)
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime()
  return (
    Array.isArray(a) === Array.isArray(b) && sameMembers(a as Record<string, unknown>, b as Record<string, unknown>)
  )
}

function sameMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let surplus = 0
  for (const key in a) {
    if (a[key] !== b[key] && !sameData(a[key], b[key])) return false
    if (a[key] === undefined && !(key in b)) return false
    surplus++
  }
  for (const _ in b) surplus--
  return surplus === 0
}
