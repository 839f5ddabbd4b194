/** Unknown members of a body at any depth, each with the nearest known one. */
import type { Problem } from '#engine/value/fault.ts'
import type { Keywords } from './keywords.ts'
import { didYouMean } from './nearest.ts'
import { pointerStep } from './text.ts'

/** Maximum names in one response; a body may contain thousands. */
const strangersMax = 20

interface Stranger {
  path: string
  name: string
  known: readonly string[]
}

/**
 * For a `schema` whose objects are closed: at most 20. If a value may have several shapes, the members of all of them
 * are known.
 */
export const strangers = (schema: Keywords, body: unknown): Problem[] =>
  findStrangers(schema, body, '')
    .slice(0, strangersMax)
    .map(({ path, name, known }) => {
      const other =
        known.length === 0 && path === pointerStep(name) ? ': this path takes no parameters' : didYouMean(name, known)
      return { path, code: 'additionalProperties', message: `is not a known field${other}` }
    })

function findStrangers(schema: Keywords, value: unknown, path: string): Stranger[] {
  const shapes = schema.anyOf ?? [schema]
  if (Array.isArray(value)) {
    const items = shapes.find((shape) => shape.items)?.items
    return items ? value.flatMap((item, i) => findStrangers(items, item, `${path}/${i}`)) : []
  }
  if (typeof value !== 'object' || value === null) return []
  const objects = shapes.filter((shape) => shape.type === 'object')
  const isClosed =
    objects.length > 0 && objects.every((shape) => shape.properties && shape.additionalProperties === false)
  const properties: Record<string, Keywords> = Object.assign({}, ...objects.map((shape) => shape.properties))
  const known = Object.keys(properties)
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = path + pointerStep(name)
    if (Object.hasOwn(properties, name)) return findStrangers(properties[name]!, inner, here)
    return isClosed ? [{ path: here, name, known }] : []
  })
}
