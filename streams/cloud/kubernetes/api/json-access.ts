/** Reads answers of API servers, in which any member may be missing or have an unexpected type. */

export type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

/** The objects in a list; empty if the value is not a list. */
export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []) : []

/** The member at a path of names; undefined if one is missing. */
export const memberOf = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)

const lengthMax = 2048

/** Text in the form that messages allow; undefined for other values and empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.slice(0, lengthMax).toWellFormed().replaceAll('\0', '�')
}

export const textAt = (value: unknown, ...names: readonly string[]): string | undefined =>
  textOf(memberOf(value, ...names))

/** Kubernetes uses 32-bit counts; so do our messages. */
const countMax = 2 ** 31 - 1

export function countAt(value: unknown, ...names: readonly string[]): number | undefined {
  const found = memberOf(value, ...names)
  const isCount = typeof found === 'number' && Number.isInteger(found) && found >= 0 && found <= countMax
  return isCount ? found : undefined
}

export const isTrueAt = (value: unknown, ...names: readonly string[]): boolean => memberOf(value, ...names) === true

/** Text by name, at most 256 entries; for labels. */
export function textsByName(value: unknown): Record<string, string> {
  const found = Object.entries(objectOf(value)).flatMap(([name, text]) =>
    typeof text === 'string' ? [[textOf(name) ?? '', textOf(text) ?? ''] as const] : [],
  )
  return Object.fromEntries(found.slice(0, 256))
}

/** Without the members that are undefined. */
export const dropUndefined = (members: Json): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
