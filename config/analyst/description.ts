/**
 * Descriptions of the analysts' views, their columns and parameters: the only source of the comments in ClickHouse and
 * of docs/analytics-reference.md.
 */
import { readFileSync } from 'node:fs'
import type { View } from '#analytics/store/tenancy.ts'
import { plainColumns } from '#config/analyst/column.ts'

interface Descriptions {
  /** By name; the same for all views. */
  readonly parameters: Readonly<Record<string, string>>
  /** By name, for views without a description of their own for the column. */
  readonly columns: Readonly<Record<string, string>>
  readonly views: Readonly<Record<string, { about: string; columns?: Readonly<Record<string, string>> }>>
}

export const descriptions = JSON.parse(
  readFileSync(new URL('descriptions.json', import.meta.url), 'utf8'),
) as Descriptions

export const viewDescription = (view: string): string => descriptions.views[view]?.about ?? ''

export const columnDescription = (view: string, column: string): string =>
  descriptions.views[view]?.columns?.[column] ?? descriptions.columns[column] ?? ''

/**
 * Names and types of a view's parameters, sorted by name. Parameters inside comments are ignored: they belong to parts
 * that only the product uses.
 */
export function parametersOf(select: string): [name: string, type: string][] {
  const text = select.replaceAll(/\/\*.*?\*\//gs, '')
  const found = new Map([...text.matchAll(/\{(\w+):([^{}]+)\}/g)].map(([, name, type]) => [name!, type!]))
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * The comment of a view in ClickHouse. A view with parameters has no columns in ClickHouse, so its comment lists them.
 */
export function viewComment({ name, select }: View): string {
  const parameters = parametersOf(select).map((one) => one.join(' '))
  if (parameters.length === 0) return viewDescription(name)
  const columns = plainColumns(name).map((column) => column.name)
  return `${viewDescription(name)}. Parameters: ${parameters.join(', ')}. Columns: ${columns.join(', ')}`
}
