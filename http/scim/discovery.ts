/** The SCIM features of this service, for directories to discover (RFC 7644, 4; RFC 7643, 5 to 7). */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { lenient, toListResponse, listOf, scim, urn } from '#http/scim/message.ts'
import { baseOf } from '#http/scim/user.ts'

const anything = t.Object({}, lenient)
/** The base URL in examples. */
const shownBase = 'https://tidemark.example.com/scim/v2'
const Document = t.Object({ schemas: t.Array(t.String()) }, { additionalProperties: true })

const configOf = (base: string) => ({
  schemas: [urn.config],
  documentationUri: base.replace(/\/scim\/v2$/, '/docs'),
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the organization, created by an admin.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const typesOf = (base: string) =>
  [
    { name: 'User', endpoint: '/Users', schema: urn.user, description: 'Users of the organization' },
    { name: 'Group', endpoint: '/Groups', schema: urn.group, description: 'Roles of the organization' },
  ].map((type) => ({
    schemas: [urn.resourceType],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }))

interface AttributeOptions {
  type?: string
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: 'readOnly' | 'readWrite' | 'immutable'
  uniqueness?: 'none' | 'server'
  returned?: 'always' | 'default'
  subAttributes?: object[]
}

const attribute = (name: string, description: string, said: AttributeOptions = {}) => ({
  name,
  type: said.subAttributes ? 'complex' : 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...said,
})
const reference = (what: string, mutability: 'readOnly' | 'immutable') => [
  attribute('value', `ID of the ${what}`, { caseExact: true, mutability }),
  attribute('display', `name of the ${what}`, { mutability: 'readOnly' }),
  {
    ...attribute('$ref', `URL of the ${what}`, { type: 'reference', mutability }),
    referenceTypes: ['User', 'Group'],
  },
]

const userAttributes = [
  attribute('userName', 'unique name of the user in the directory', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'ID of the user in the directory', { caseExact: true }),
  attribute('name', 'components of the name', {
    subAttributes: [
      attribute('formatted', 'full name', { mutability: 'readOnly' }),
      attribute('givenName', 'given name'),
      attribute('familyName', 'family name'),
    ],
  }),
  attribute('displayName', 'display name of the user'),
  attribute('active', 'whether the user is a member of the organization', { type: 'boolean' }),
  attribute('emails', 'email addresses of the user; one is stored', {
    multiValued: true,
    subAttributes: [
      attribute('value', 'email address'),
      attribute('type', 'work'),
      attribute('primary', 'true', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'roles of the user', {
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: reference('group', 'readOnly'),
  }),
]
const groupAttributes = [
  attribute('displayName', 'name of the role', { required: true, mutability: 'immutable', uniqueness: 'server' }),
  attribute('members', 'members with the role', { multiValued: true, subAttributes: reference('user', 'immutable') }),
]

const schemasOf = (base: string) =>
  [
    { id: urn.user, name: 'User', description: 'A user of the organization', attributes: userAttributes },
    { id: urn.group, name: 'Group', description: 'A role of the organization', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: [urn.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))

/** Routes for a list that is the same for everybody, and for each of its entries by id. */
function listRoutes<T extends { id: string; schemas: string[] }>(
  path: string,
  { many, one }: { many: string; one: string },
  description: string,
  title: string,
  all: (base: string) => T[],
): Route[] {
  return [
    route({
      ...scim,
      method: 'GET',
      path,
      summary: many,
      description,
      query: anything,
      reply: listOf(Document, title),
      example: toListResponse(all(shownBase), all(shownBase).length, 1),
      handle: async (_request, services) => {
        const found = all(baseOf(services))
        return toListResponse(found, found.length, 1)
      },
    }),
    route({
      ...scim,
      method: 'GET',
      path: `${path}/:name`,
      summary: one,
      description: `By its ID, as in the list. ${description}`,
      params: t.Object({
        name: t.String({ maxLength: 100, description: 'its identifier', examples: [all('')[0]!.id] }),
      }),
      query: anything,
      reply: Document,
      example: all(shownBase)[0]!,
      handle: async ({ params: { name } }, services) => {
        const found = all(baseOf(services)).find(({ id }) => id === name)
        if (!found) throw Fault.missing('document', name)
        return found
      },
    }),
  ]
}

export const scimDiscovery: readonly Route[] = [
  route({
    ...scim,
    method: 'GET',
    path: '/scim/v2/ServiceProviderConfig',
    summary: 'Get the supported SCIM 2.0 features',
    description:
      'Updates by PATCH, filters with at most 200 results, and versions by ETag; no bulk operations, sorting or passwords.',
    query: anything,
    reply: Document,
    example: configOf(shownBase),
    handle: async (_request, services) => configOf(baseOf(services)),
  }),
  ...listRoutes(
    '/scim/v2/ResourceTypes',
    { many: 'List the SCIM resource types', one: 'Get a SCIM resource type' },
    'Users are members, Groups are roles; both are the same for every organization.',
    'ScimResourceTypeList',
    typesOf,
  ),
  ...listRoutes(
    '/scim/v2/Schemas',
    { many: 'List the SCIM schemas', one: 'Get a SCIM schema' },
    'Lists each stored attribute and whether a directory can change it. Other attributes are ignored.',
    'ScimSchemaList',
    schemasOf,
  ),
]
