/** Compares what a file says with what the API returns. */
import type { Kind, Members } from './kind.ts'

/** One member that differs, as JSON; undefined where it is empty. */
export interface Difference {
  /** Names joined with dots. */
  path: string
  from?: string
  to?: string
}

/** The members of an existing one that differ from what a file says. What the file leaves out is not compared. */
export function differences(kind: Kind, given: Members, item: Members): Difference[] {
  const compared = pick(
    given,
    kind.fields.filter((name) => Object.hasOwn(given, name)),
  )
  const before = leaves(kind, pick(item, Object.keys(compared)))
  const after = leaves(kind, withKept(kind, compared, item))
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({
      path,
      ...(before.has(path) && { from: shown(path, before.get(path)!) }),
      ...(after.has(path) && { to: shown(path, after.get(path)!) }),
    }))
}

const pick = (item: Members, names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, item[name]]))

/** A config without its secret keeps the one it has; a masked one cannot be compared. */
function withKept({ kept = [] }: Kind, given: Members, item: Members): Members {
  const [config, own] = [given['config'], item['config']] as (Members | undefined)[]
  if (config === undefined || own === undefined) return given
  const same = kept.filter((name) => config[name] === undefined || isMasked(own[name]))
  return { ...given, config: { ...config, ...pick(own, same) } }
}

const isMasked = (value: unknown): boolean => typeof value === 'string' && value.endsWith('/...')

/** Values by path, without empty ones. The order of lists does not matter, except in specs. */
function leaves(kind: Kind, members: Members): Map<string, string> {
  const out = new Map<string, string>()
  const put = (path: string, value: unknown): void => {
    const found = normal(value, path.startsWith('spec'))
    if (isObject(found)) for (const [name, one] of Object.entries(found)) put(`${path}.${name}`, one)
    else if (found !== undefined) out.set(path, JSON.stringify(found))
  }
  for (const [name, value] of Object.entries(members)) {
    const usual = kind.elements?.[name]
    put(name, usual && Array.isArray(value) ? value.map((one: object) => ({ ...usual, ...one })) : value)
  }
  return out
}

/** A value as it is compared: members sorted, without those that are empty. Undefined if it is empty itself. */
function normal(value: unknown, isOrdered: boolean): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one: unknown) => normal(one, isOrdered))
    if (list.length === 0) return undefined
    return isOrdered ? list : list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (!isObject(value)) return value === null || value === '' ? undefined : value
  const members = Object.entries(value)
    .map(([name, one]) => [name, normal(one, isOrdered)] as const)
    .filter(([, one]) => one !== undefined && one !== false)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const charactersMax = 80

/** Cut, and without secrets: whoever reads a plan need not know them. */
function shown(path: string, json: string): string {
  if (/webhookURL|headers/i.test(path)) return '(secret)'
  return json.length > charactersMax ? `${json.slice(0, charactersMax)}...` : json
}
