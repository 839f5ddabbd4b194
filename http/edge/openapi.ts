import { t, type Static } from '#engine/schema.ts'
import type { Keywords } from '#http/edge/keywords.ts'
import { closed } from '#http/edge/decode.ts'
import { ProblemBody } from '#http/edge/problem.ts'
import { meaningOf } from '#http/edge/parameter.ts'
import { takesBody, type Route } from '#http/edge/route.ts'

export interface Info {
  title: string
  version: string
  description?: string
  /** Where the document's paths start, for those who read it elsewhere. */
  url: string
}

type Json = Record<string, unknown>

/**
 * The OpenAPI 3.1 document of `routes`. Schemas go in as they are: OpenAPI 3.1 schemas are JSON Schema. One with a title
 * becomes a component. @throws if two different schemas share a title, or two routes an id.
 */
export function openapi(routes: readonly Route[], info: Info): Json & Static<typeof Document> {
  const components = new Components()
  const paths: Record<string, Json> = {}
  const ids = new Set<string>()
  for (const r of routes.filter(({ hidden }) => !hidden)) {
    const id = r.id ?? idOf(r)
    if (ids.has(id)) throw new Error(`two routes have the id ${id}`)
    ids.add(id)
    ;(paths[braced(r.path)] ??= {})[r.method.toLowerCase()] = operation(r, id, components)
  }
  const problem = components.refer(ProblemBody as Keywords)
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, ...(info.description && { description: info.description }) },
    servers: [{ url: '/' }, ...(info.url ? [{ url: info.url }] : [])],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.filter((r) => !r.hidden).flatMap((r) => r.tags ?? []))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of a session, or a personal access token: svc_pat_ and 43 characters.',
        },
        service: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'Of our own services: HS256 by INTERNAL_TOKEN_SECRET, audience tidemark-internal, for five minutes at most.',
        },
      },
      schemas: components.schemas,
      responses: Object.fromEntries(
        Object.entries(failures).map(([status, text]) => [`Problem${status}`, failure(text, problem)]),
      ),
    },
  }
}

const failures: Readonly<Record<number, string>> = {
  400: 'An input is wrong; `errors` names each one.',
  401: 'No token, or one that is not valid.',
  403: 'The token lacks the permission, or is not for the organization.',
  404: 'There is no such thing in this organization.',
  409: 'It is not in a state that allows this, or it exists already.',
  412: 'It is not in the state that `If-Match` names any more.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'The request is valid, but something forbids it now.',
  429: 'Too many requests; try again after `Retry-After` seconds.',
  500: 'Something broke on our side.',
  503: 'Not available now; try again after `Retry-After` seconds.',
}

const failure = (description: string, schema: Json): Json => ({
  description,
  content: { 'application/problem+json': { schema } },
})

const braced = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** `GET /resources/:id/access` is `get_resources_id_access`. */
const idOf = ({ method, path }: Route): string => `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`

function operation(r: Route, id: string, components: Components): Json {
  return {
    operationId: id,
    summary: r.summary,
    ...(r.description && { description: r.description }),
    ...(r.tags && { tags: r.tags }),
    ...(r.deprecated && { deprecated: true }),
    ...(r.permission === 'public' && { security: [] }),
    ...(r.permission === 'internal' && { security: [{ service: [] }] }),
    ...(r.permission !== 'public' && { 'x-permission': r.permission }),
    parameters: [
      ...parameters(r.params, 'path', components),
      ...parameters(r.query, 'query', components),
      ...headerParameters(r),
    ],
    ...(r.body && {
      requestBody: requestBody(r.body as Keywords, r.form ? formType : (r.json ?? 'application/json'), components),
    }),
    ...(r.upload && { requestBody: r.raw ? rawBody(r.upload) : uploadBody(r.upload, r.files === true) }),
    responses: { ...success(r, components), ...refusals(r, components) },
  }
}

const formType = 'application/x-www-form-urlencoded'

function requestBody(schema: Keywords, media: string, components: Components): Json {
  const shut = closed(schema)
  const required = shut.type !== 'object' || (shut.required ?? []).length > 0
  return { required, content: { [media]: { schema: components.refer(shut) } } }
}

/** One file, by itself or as a field of a form. */
const uploadBody = (media: string, isMany: boolean): Json => {
  const one = { type: 'string', format: 'binary' }
  const file = isMany ? { type: 'array', items: one, minItems: 1 } : one
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file } } },
      [media]: { schema: isMany ? one : { type: 'string' } },
    },
  }
}

/** Bytes as they come: what they say is for their sender's own documents. */
const rawBody = (media: string): Json => ({ required: true, content: { [media]: { schema: {} } } })

function success(r: Route, components: Components): Json {
  const headers = Object.fromEntries(
    Object.entries({ ...r.headers, ...(r.secret && { 'Cache-Control': 'no-store: it holds a secret' }) }).map(
      ([name, description]) => [name, { description, schema: { type: 'string' } }],
    ),
  )
  const schema = r.reply && components.refer(r.reply as Keywords)
  const meta = r.meta && components.refer(r.meta as Keywords)
  const content = schema && {
    content: {
      [r.media ?? r.json ?? 'application/json']: { schema: r.bare || r.media ? schema : inData(schema, meta) },
    },
  }
  const answer = { description: 'Success', ...(Object.keys(headers).length > 0 && { headers }), ...content }
  return { ...(r.elseStatus && { [r.elseStatus]: answer }), [r.status ?? 200]: answer }
}

const inData = (data: Json, meta?: Json): Json =>
  meta
    ? { type: 'object', required: ['data', 'meta'], properties: { data, meta } }
    : { type: 'object', required: ['data'], properties: { data } }

function refusals(r: Route, components: Components): Json {
  const hasBody = takesBody(r)
  const statuses = [
    400,
    ...(r.permission === 'public' ? [] : [401, 403]),
    ...(r.params ? [404] : []),
    ...(hasBody ? [409, 413, 415, 422] : []),
    ...(r.refuses ?? []),
    ...(r.permission === 'public' && !r.limit ? [] : [429]),
    500,
    503,
  ]
  const { refusal } = r
  const said = (status: number): Json =>
    refusal
      ? {
          description: failures[status],
          content: { [refusal.media]: { schema: components.refer(refusal.schema as Keywords) } },
        }
      : { $ref: `#/components/responses/Problem${status}` }
  return Object.fromEntries(statuses.map((status) => [status, said(status)]))
}

function parameters(object: Route['query'], where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = (object ?? {}) as Keywords
  return Object.entries(properties).map(([name, schema]) => {
    const { description = meaningOf(name, where), ...shape } = components.inline(schema) as Json
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      ...(schema.type === 'array' && { style: 'form', explode: schema.explode ?? false }),
      ...(schema.keyed !== undefined && { style: 'deepObject', explode: true }),
      schema: shape,
    }
  })
}

/** None is required by itself: several may stand for each other. */
const headerParameters = ({ takes = {} }: Route): Json[] =>
  Object.entries(takes).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))

/** The titled schemas of a document, each once. */
class Components {
  readonly schemas: Json = {}

  /** `schema` with every titled part of it replaced by a reference; itself too, when it has a title. */
  refer(schema: Keywords): Json {
    const plain = this.inline(schema)
    const { title } = schema
    if (title === undefined) return plain
    const known = this.schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(plain)) throw new Error(`two schemas have the title ${title}`)
    this.schemas[title] = plain
    return { $ref: `#/components/schemas/${title}` }
  }

  /** As `refer`, but `schema` itself stays. Keywords that are ours alone are left out. */
  inline(schema: Keywords): Json {
    const { clamp: _clamp, alias: _alias, explode: _explode, keyed: _keyed, shapes, ...known } = schema
    const { properties, items, anyOf = shapes, ...rest } = known
    return {
      ...rest,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([k, s]) => [k, this.refer(s)])),
      }),
      ...(items && { items: this.refer(items) }),
      ...(anyOf && { anyOf: anyOf.map((s) => this.refer(s)) }),
      ...patterns(rest, (s) => this.refer(s)),
    }
  }
}

/** The two places where a map of names to schemas holds its values. */
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

/** What the document's own endpoint answers. */
export const Document = t.Object(
  { openapi: t.String(), info: t.Unknown(), paths: t.Unknown(), components: t.Unknown() },
  { additionalProperties: true },
)
