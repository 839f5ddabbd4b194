/** Prints the OpenAPI 3.1 document from the routes and their schemas. */
import { t, type Static } from '#engine/value/schema.ts'
import { isClamped, withoutOwn, type Keywords } from '#http/edge/request/keywords.ts'
import { closeSchema } from '#http/edge/request/decode.ts'
import { exampleOf } from './example.ts'
import { ProblemBody } from '#http/edge/problem.ts'
import { meaningOf } from '#http/edge/parameter/parameter.ts'
import { RefusalComponents } from './refusal-component.ts'
import { isKeyed, type Route } from '#http/edge/route.ts'
import { headerComponents, idempotencyKey, prefer, sharedHeaders } from './header.ts'
import { isStandIn } from '#streams/names.ts'

export interface Info {
  title: string
  version: string
  description?: string
  license?: { name: string; identifier: string }
  /** Descriptions of the routes' tags, by name. */
  tags?: Readonly<Record<string, string>>
  /** The base URL of the document's paths, for readers on other hosts. */
  url: string
}

type Json = Record<string, unknown>

/**
 * The OpenAPI 3.1 document of `routes`. Schemas are used unchanged, because OpenAPI 3.1 schemas are JSON Schema. A
 * schema with a title becomes a component. @throws if two different schemas share a title, or two routes an id.
 */
export function openapi(routes: readonly Route[], info: Info): Json & Static<typeof Document> {
  const components = new Components()
  const { title: _title, ...problem } = components.inline(ProblemBody as Keywords)
  const refusals = new RefusalComponents(problem)
  const paths: Record<string, Json> = {}
  const ids = new Set<string>()
  for (const r of routes.filter(({ hidden }) => !hidden)) {
    const id = r.id ?? idOf(r)
    if (ids.has(id)) throw new Error(`two routes have the ID ${id}`)
    ids.add(id)
    ;(paths[toPathTemplate(r.path)] ??= {})[r.method.toLowerCase()] = operation(r, id, components, refusals)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      ...(info.description && { description: info.description }),
      ...(info.license && { license: info.license }),
    },
    servers: [{ url: '/' }, ...(info.url ? [{ url: info.url }] : [])],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.filter((r) => !r.hidden).flatMap((r) => r.tags ?? []))].map((name) => ({
      name,
      ...(info.tags?.[name] && { description: info.tags[name] }),
    })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Access token of a session, or a personal access token: svc_pat_ and 43 characters.',
        },
        service: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'For internal services: HS256 with INTERNAL_TOKEN_SECRET, audience tidemark-internal, valid for at most five minutes.',
        },
      },
      schemas: { ...components.schemas, ...refusals.schemas },
      headers: headerComponents,
      responses: refusals.responses,
    },
  }
}

const toPathTemplate = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** `GET /resources/:id/access` is `get_resources_id_access`. */
const idOf = ({ method, path }: Route): string => `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`

function accessOf({ permission, unscoped }: Route): Json {
  if (permission === 'public') return { security: [] }
  return {
    ...(permission === 'internal' && { security: [{ service: [] }] }),
    'x-permission': permission,
    ...(unscoped && { 'x-unscoped': true }),
  }
}

function operation(r: Route, id: string, components: Components, refusals: RefusalComponents): Json {
  return {
    operationId: id,
    summary: r.summary,
    ...(r.description && { description: r.description }),
    ...(r.tags && { tags: r.tags }),
    ...(r.deprecated && { deprecated: true }),
    ...accessOf(r),
    parameters: [
      ...parameters(r.params, 'path', components),
      ...parameters(r.query, 'query', components),
      ...headerParameters(r),
    ],
    ...(r.body && {
      requestBody: requestBody(r.body as Keywords, r.form ? formType : (r.json ?? 'application/json'), components),
    }),
    ...(r.upload && { requestBody: r.raw ? rawBody(r.upload, r.uploaded) : uploadBody(r.upload, r) }),
    responses: { ...success(r, components), ...refusals.of(r, (schema) => components.refer(schema)) },
  }
}

const formType = 'application/x-www-form-urlencoded'

function requestBody(schema: Keywords, media: string, components: Components): Json {
  const shut = closeSchema(schema)
  const required = shut.type !== 'object' || (shut.required ?? []).length > 0
  const content = { schema: components.refer(shut), ...toExampleField(exampleOf(schema)) }
  return { required, content: { [media]: content } }
}

/** One file, as the body or as a field of a form. */
const uploadBody = (media: string, { files: isMany, uploaded }: Route): Json => {
  const one = { type: 'string', format: 'binary' }
  const file = isMany ? { type: 'array', items: one, minItems: 1 } : one
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { type: 'object', required: ['file'], properties: { file } },
        ...toExampleField({ file: isMany ? [uploaded] : uploaded }),
      },
      [media]: { schema: isMany ? one : { type: 'string' }, ...toExampleField(uploaded) },
    },
  }
}

/** Bytes as sent: their content is documented by their sender. */
const rawBody = (media: string, uploaded: unknown): Json => ({
  required: true,
  content: { [media]: { schema: {}, ...toExampleField(uploaded) } },
})

const toExampleField = (example: unknown): Json => (example === undefined ? {} : { example })

function success(r: Route, components: Components): Json {
  const own = Object.entries({
    ...r.headers,
    ...(r.secret && { 'Cache-Control': 'no-store: the response contains a secret' }),
  }).map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  const headers = { ...sharedHeaders(r), ...Object.fromEntries(own) }
  const schema = r.reply && components.refer(r.reply as Keywords)
  const meta = r.meta && components.refer(r.meta as Keywords)
  const isWhole = r.bare || r.media !== undefined
  const content = schema && {
    content: {
      [r.media ?? r.json ?? 'application/json']: {
        schema: isWhole ? schema : inData(schema, meta),
        ...toExampleField(answerShown(r)),
      },
      ...filesShown(r),
    },
  }
  const answer = { description: 'Success', ...(Object.keys(headers).length > 0 && { headers }), ...content }
  return { ...(r.elseStatus && { [r.elseStatus]: answer }), [r.status ?? 200]: answer }
}

/** A file of rows, with its beginning as the example. */
const fileShown = (media: string): Json =>
  media === 'text/csv'
    ? { schema: { type: 'string' }, example: 'date,costUSD\r\n2026-01-15,402.6\r\n' }
    : { schema: { type: 'string', format: 'binary' }, example: 'PAR1' }

const filesShown = ({ alsoMedia = [] }: Route): Json =>
  Object.fromEntries(alsoMedia.map((media) => [media, fileShown(media)]))

/** Example of a whole response; undefined if a part of it has no example. */
function answerShown({ reply, meta, example, bare, media }: Route): unknown {
  const data = example ?? exampleOf(reply as Keywords)
  if (bare || media !== undefined || data === undefined) return data
  const beside = meta && exampleOf(meta as Keywords)
  return meta && beside === undefined ? undefined : { data, ...(meta && { meta: beside }) }
}

const inData = (data: Json, meta?: Json): Json =>
  meta
    ? { type: 'object', required: ['data', 'meta'], properties: { data, meta } }
    : { type: 'object', required: ['data'], properties: { data } }

function parameters(object: Route['query'], where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = (object ?? {}) as Keywords
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { description = meaningOf(name, where), deprecated, ...shape } = components.inline(schema) as Json
    const parameter = {
      name,
      in: where,
      required: where === 'path' || (required.includes(name) && schema.default === undefined),
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated }),
      ...(schema.type === 'array' && { style: 'form', explode: schema.explode ?? false }),
      ...(schema.keyed !== undefined && { style: 'deepObject', explode: true }),
      schema: shape,
    }
    return [parameter, ...(schema.formerly === undefined ? [] : [formerParameter(parameter, schema.formerly)])]
  })
}

/** The same parameter under the name that it had before. */
const formerParameter = (parameter: Json & { name: string }, name: string): Json => ({
  ...parameter,
  name,
  required: false,
  description: `former name of ${parameter.name}`,
  deprecated: true,
})

/** None is required, because several may be alternatives. */
const headerParameters = (r: Route): Json[] =>
  [
    ...Object.entries(r.takes ?? {}),
    ...(isKeyed(r) ? [idempotencyKey] : []),
    ...(isClamped(r.query as Keywords | undefined) ? [prefer] : []),
  ].map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: name === idempotencyKey[0] ? { type: 'string', minLength: 1, maxLength: 255 } : { type: 'string' },
  }))

/** The titled schemas of a document, each once. */
class Components {
  readonly schemas: Json = {}

  /** `schema` with every titled part replaced by a reference; also the schema itself if it has a title. */
  refer(schema: Keywords): Json {
    const plain = this.inline(schema)
    const { title } = schema
    if (title === undefined) return plain
    const known = this.schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(plain)) throw new Error(`two schemas have the title ${title}`)
    this.schemas[title] = plain
    return { $ref: `#/components/schemas/${title}` }
  }

  /** Like `refer`, but `schema` itself stays inline. Our own keywords are left out. */
  inline(schema: Keywords): Json {
    const { properties, items, anyOf = schema.shapes, enum: words, ...rest } = withoutOwn(schema)
    return {
      ...rest,
      ...(words && listedWords(words)),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([k, s]) => [k, this.refer(s)])),
      }),
      ...(items && { items: this.refer(items) }),
      ...(anyOf && {
        ...oneOf(anyOf.map((s) => this.refer(s))),
        ...discriminatorOf(anyOf),
      }),
      ...patterns(rest, (s) => this.refer(s)),
    }
  }
}

/** An alternative of several; a single one is used directly. */
const oneOf = (choices: readonly Json[]): Json => (choices.length === 1 ? choices[0]! : { anyOf: choices })

/** The property by which titled alternatives are told apart: each has a constant of its own. */
function discriminatorOf(choices: readonly Keywords[]): Json {
  const shapes = choices.filter(({ type }) => type !== 'null')
  const names = Object.keys(shapes[0]?.properties ?? {})
  const propertyName = names.find((name) => {
    const values = shapes.map(({ title, properties = {}, required = [] }) =>
      title !== undefined && required.includes(name) ? properties[name]?.const : undefined,
    )
    return values.every((value) => typeof value === 'string') && new Set(values).size === shapes.length
  })
  if (shapes.length < 2 || propertyName === undefined) return {}
  const mapping = Object.fromEntries(
    shapes.map(({ title, properties }) => [properties![propertyName]!.const, `#/components/schemas/${title}`]),
  )
  return { discriminator: { propertyName, mapping } }
}

/**
 * Alternative names are accepted, but not documented. Nor are other spellings in capitals or small letters: generators
 * make one name of both.
 */
function listedWords(words: readonly unknown[]): Json {
  const spelled = (word: unknown) => (typeof word === 'string' ? word.toLowerCase() : word)
  const first = new Set(words.map((word) => words.find((one) => spelled(one) === spelled(word))))
  const told = words.filter((word) => !isStandIn(word) && first.has(word))
  const types = [...new Set(told.map((word) => (word === null ? 'null' : typeof word)))]
  return { type: types.length === 1 ? types[0] : types, enum: told }
}

/** The two places where a map of names to schemas contains its values. */
function patterns(schema: Json, refer: (schema: Keywords) => Json): Json {
  const { patternProperties, additionalProperties } = schema
  return {
    ...(isObject(patternProperties) && {
      patternProperties: Object.fromEntries(
        Object.entries(patternProperties).map(([k, s]) => [k, refer(s as Keywords)]),
      ),
    }),
    ...(isObject(additionalProperties) && { additionalProperties: refer(additionalProperties) }),
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Response schema of the document's own endpoint. */
export const Document = t.Object(
  {
    openapi: t.String(),
    info: t.Unknown(),
    paths: t.Unknown(),
    components: t.Unknown(),
  },
  { additionalProperties: true },
)
