/** Generated requests: every operation of the OpenAPI document, well formed and spoiled. */
import fc from 'fast-check'
import { anyText, brokenTexts, damage, inheritedNames, oddDates, spoiled, tear, torn } from '#test/fuzz/hostile.ts'
import { valueOf, type Components, type Schema } from '#test/fuzz/schema.ts'

interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
}

interface Operation {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Components }
}

export interface Asked {
  /** `GET /resources/{resourceID}`: what it was made from. */
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

/** Stands in a generated path for an id that exists. */
export const idMark = 'id-of-the-run'

/** Requests of all operations, each as often as any other. */
export function anyRequest({ paths, components }: Document): fc.Arbitrary<Asked> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(method.toUpperCase(), path, operation, components)),
  )
  return fc.oneof(...all)
}

function requestOf(method: string, path: string, operation: Operation, { schemas }: Document['components']) {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const schema = operation.requestBody?.content['application/json']?.schema
  return fc
    .record({
      path: pathOf(path),
      query: fc.tuple(...query.map((parameter) => pairs(parameter, schemas))).map((lists) => lists.flat()),
      strays: rarely(10, fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }), []),
      body:
        schema === undefined
          ? rarely(20, anyBody, undefined)
          : fc.option(bodyOf(schema, schemas), { freq: 15, nil: undefined }),
      method: rarely(
        60,
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
        method,
      ),
      headers: headersOf,
    })
    .map(({ path: to, query: some, strays, body, method: by, headers }): Asked => ({
      operation: `${method} ${path}`,
      method: by,
      path: to + queryText([...some, ...strays]),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body,
    }))
}

/** `other`, but one time in `n` something of `arbitrary`. */
const rarely = <T, U>(n: number, arbitrary: fc.Arbitrary<T>, other: U): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: n - 1, arbitrary: fc.constant(other) }, { weight: 1, arbitrary })

/** Half a surrogate pair goes as the three bytes that no decoder of UTF-8 takes. */
const encoded = (text: string): string =>
  Array.from(text, (one) => (one.isWellFormed() ? encodeURIComponent(one) : halfPair(one.charCodeAt(0)))).join('')

const halfPair = (code: number): string =>
  `%ED%${(0x80 | ((code >> 6) & 0x3f)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`

/** Path parameters: what exists, what might, and what never does. */
function pathOf(template: string): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constant(idMark) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 2, arbitrary: anyText.map(encoded) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%ZZ', '%ff', '%00', '..', '%2e%2e', '%252F', '.', '%C3%28', ';a=b') },
  )
  const parts = template.split(/\{\w+\}/)
  return fc
    .tuple(rarely(20, fc.constantFrom('/api', '/api/', '//', '/./'), ''), ...parts.slice(1).map(() => value))
    .map(([prefix, ...values]) => prefix + parts.map((part, i) => part + (values[i] ?? '')).join(''))
}

const dates = fc.oneof(
  fc.integer({ min: 0, max: 200 }).map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)),
  fc.constantFrom<string>(...oddDates),
)

/** Nothing, mostly, of a parameter that may be left out; else its value, sometimes twice or with another's shape. */
function pairs({ name, required, schema }: Parameter, components: Components): fc.Arbitrary<[string, string][]> {
  const isDay = name === 'from' || name === 'to'
  const right = isDay ? dates : valueOf(schema, components)
  const shown = right.map((value) => (Array.isArray(value) ? value.map(written).join(',') : written(value)))
  const inherited = fc.constantFrom(...inheritedNames, ...brokenTexts)
  const value = fc.oneof(
    { weight: 12, arbitrary: shown },
    { weight: 2, arbitrary: anyText },
    { weight: 1, arbitrary: inherited },
    { weight: 1, arbitrary: fc.tuple(shown, inherited).map(([good, bad]) => `${good},${bad}`) },
  )
  const given = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(value).map(([one]): [string, string][] => [[name, one]]) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, value).map(([a, b]): [string, string][] => [
        [name, a],
        [name, b],
      ]),
    },
    { weight: 1, arbitrary: value.map((one): [string, string][] => [[`${name}[]`, one]]) },
  )
  const nothing = fc.constant<[string, string][]>([])
  return fc.oneof({ weight: required ? 15 : 1, arbitrary: given }, { weight: required ? 1 : 3, arbitrary: nothing })
}

/** An object may have a member that is called toString. */
const written = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

const queryText = (list: readonly (readonly [string, string])[]): string =>
  list.length === 0 ? '' : `?${list.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? 'null')

function bodyOf(schema: Schema, components: Components): fc.Arbitrary<Buffer> {
  const good = valueOf(schema, components)
  return fc.oneof(
    { weight: 5, arbitrary: good.map(json) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(good, fc.array(damage, { minLength: 1, maxLength: 2 }))
        .map(([value, d]) => json(spoiled(value, d))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(good, fc.array(tear, { minLength: 1, maxLength: 2 }))
        .map(([value, t]) => torn(json(value), t)),
    },
    { weight: 1, arbitrary: anyBody },
  )
}

const anyBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('', 'null', '[]', '""', '0', '1e999', '{"a":1e999}', '{', '{"__proto__":{}}', '['.repeat(5000))
    .map((text) => Buffer.from(text)),
)

/** Header values as HTTP can carry them. */
const headerText = anyText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 200))

const headersOf: fc.Arbitrary<Record<string, string>> = rarely(
  8,
  fc.dictionary(
    fc.constantFrom(
      'authorization',
      'x-org-id',
      'x-request-id',
      'accept',
      'content-type',
      'content-encoding',
      'cookie',
      'if-none-match',
      'idempotency-key',
      'range',
    ),
    headerText,
    { maxKeys: 2 },
  ),
  {},
)
