/** The operations of a PATCH (RFC 7644, 3.5.2) as directories write them: `op` and member names in any case. */
import { scimFault } from '#http/scim/message.ts'

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove'
  /** Missing: `value` is an object of attributes. */
  path?: string
  value: unknown
}

/** Maximum in one request; a single operation may have any number of group members. */
const operationsMax = 1000

/** An object by member names in lower case; empty if it is not an object. */
export function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner]))
}

/** @throws Fault with the matching scimType */
export function operationsOf(body: unknown): PatchOperation[] {
  const { operations } = record(body)
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimFault('invalidSyntax', 'Operations is missing or empty.')
  if (operations.length > operationsMax) throw scimFault('tooMany', `At most ${operationsMax} Operations are allowed.`)
  return operations.map(operationOf)
}

function operationOf(given: unknown): PatchOperation {
  const { op, path, value } = record(given)
  const verb = verbOf(op)
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw scimFault('invalidPath', 'path must be text.')
  const place = path?.trim() ?? ''
  if (place !== '') return { op: verb, path: place, value }
  if (verb === 'remove') throw scimFault('noTarget', 'remove requires a path.')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw scimFault('invalidValue', 'Without a path, value must be an object of attributes.')
  }
  return { op: verb, value }
}

const verbs = ['add', 'replace', 'remove'] as const

function verbOf(op: unknown): PatchOperation['op'] {
  const verb = typeof op === 'string' ? verbs.find((one) => one === op.toLowerCase()) : undefined
  if (verb === undefined) throw scimFault('invalidSyntax', 'op must be add, replace or remove.')
  return verb
}
