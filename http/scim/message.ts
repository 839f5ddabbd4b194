/** SCIM 2.0 messages: schema names, lists and errors (RFC 7644, 3.4.2 and 3.12). */
import { Fault, type FaultKind } from '#engine/value/fault.ts'
import { t, type TSchema } from '#engine/value/schema.ts'
import type { RefusalFormat } from '#http/edge/route.ts'

const scimJson = 'application/scim+json'

export const urn = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
  config: 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig',
  resourceType: 'urn:ietf:params:scim:schemas:core:2.0:ResourceType',
  schema: 'urn:ietf:params:scim:schemas:core:2.0:Schema',
} as const

const scimTypes = [
  ...(['uniqueness', 'invalidFilter', 'invalidPath', 'invalidValue'] as const),
  ...(['invalidSyntax', 'mutability', 'noTarget', 'tooMany'] as const),
] as const
export type ScimType = (typeof scimTypes)[number]

const kinds: Partial<Readonly<Record<ScimType, FaultKind>>> = { uniqueness: 'conflict' }

/** A refusal with a SCIM error type: 409 for `uniqueness`, otherwise 400. */
export const scimFault = (scimType: ScimType, message: string): Fault =>
  new Fault(kinds[scimType] ?? 'invalid', `scim_${scimType.toLowerCase()}`, message, { scimType })

/** Refusals of the edge that have a SCIM error type. */
const edgeTypes: Readonly<Record<string, ScimType>> = {
  malformed_json: 'invalidSyntax',
  validation_failed: 'invalidValue',
  invalid_parameter: 'invalidValue',
}

const refusal: RefusalFormat = {
  media: scimJson,
  schema: t.Object(
    {
      schemas: t.Array(t.String()),
      status: t.String({ description: 'the HTTP status, as text' }),
      scimType: t.Optional(t.Enum(scimTypes)),
      detail: t.String(),
    },
    { title: 'ScimError' },
  ),
  say: ({ status, body }, { code, detail }) => {
    const scimType = (detail['scimType'] as ScimType | undefined) ?? edgeTypes[code]
    return { schemas: [urn.error], status: String(status), ...(scimType && { scimType }), detail: body['detail'] }
  },
}

/** Shared by all SCIM routes. */
export const scim = {
  permission: 'scim',
  tags: ['SCIM'],
  json: scimJson,
  bare: true,
  refusal,
} as const

/** Unknown parameters are ignored, since directories add some to every request. */
export const lenient = { additionalProperties: true } as const

const attributeQuery = {
  attributes: t.Optional(
    t.String({ maxLength: 2048, description: 'comma-separated names: return only these, and those always included' }),
  ),
  excludedAttributes: t.Optional(
    t.String({ maxLength: 2048, description: 'comma-separated names: return all except these' }),
  ),
}
export const listQuery = t.Object(
  {
    filter: t.Optional(t.String({ maxLength: 4096, description: 'as defined in RFC 7644, 3.4.2.2' })),
    startIndex: t.Optional(t.Integer({ description: 'index, starting at 1; lower values count as 1' })),
    count: t.Optional(
      t.Integer({ description: 'resources per page, default 100, at most 200; 0 returns only the number' }),
    ),
    ...attributeQuery,
  },
  lenient,
)
export const oneQuery = t.Object(attributeQuery, lenient)

export const listOf = (item: TSchema, title: string) =>
  t.Object(
    {
      schemas: t.Array(t.String(), { examples: [[urn.list]] }),
      totalResults: t.Integer({ examples: [1] }),
      startIndex: t.Integer({ examples: [1] }),
      itemsPerPage: t.Integer({ examples: [1] }),
      Resources: t.Array(item),
    },
    { title },
  )

const countMax = 200
const countUsual = 100
const indexMax = 1_000_000_000

/** The requested page, within limits. */
export function pageOf({ startIndex = 1, count = countUsual }: { startIndex?: number; count?: number }) {
  const start = Math.min(Math.max(1, startIndex), indexMax)
  return { startIndex: start, offset: start - 1, limit: Math.min(Math.max(0, count), countMax) }
}

export const toListResponse = <T>(items: T[], totalResults: number, startIndex: number) => ({
  schemas: [urn.list],
  totalResults,
  startIndex,
  itemsPerPage: items.length,
  Resources: items,
})

/** Always returned, whatever attributes are requested. */
const always: ReadonlySet<string> = new Set(['schemas', 'id'])
const namesIn = (text: string): string[] =>
  text.split(',').map((name) =>
    name
      .trim()
      .replace(/^urn:.*:/, '')
      .split('.')[0]!
      .toLowerCase(),
  )

/** A resource with the requested attributes. */
export function selectAttributes<T extends object>(
  resource: T,
  { attributes, excludedAttributes }: { attributes?: string; excludedAttributes?: string },
): T {
  const [only, none] = [attributes, excludedAttributes].map((text) => (text ? new Set(namesIn(text)) : undefined))
  const kept = Object.entries(resource).filter(([name]) => {
    if (always.has(name)) return true
    return only ? only.has(name.toLowerCase()) : !none?.has(name.toLowerCase())
  })
  return Object.fromEntries(kept) as T
}
