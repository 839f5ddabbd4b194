/** What this service can do of SCIM, for directories to find out (RFC 7644, 4; RFC 7643, 5 to 7). */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { lenient, listed, listOf, scim, urn } from '#http/scim/message.ts'
import { baseOf } from '#http/scim/user.ts'

const anything = t.Object({}, lenient)
/** Under which the examples stand. */
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
      description: 'A token of the organization for its directory, which an admin makes.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const typesOf = (base: string) =>
  [
    { name: 'User', endpoint: '/Users', schema: urn.user, description: 'People of the organization' },
    { name: 'Group', endpoint: '/Groups', schema: urn.group, description: 'Roles of the organization' },
  ].map((type) => ({
    schemas: [urn.resourceType],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }))

interface Said {
  type?: string
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: 'readOnly' | 'readWrite' | 'immutable'
  uniqueness?: 'none' | 'server'
  returned?: 'always' | 'default'
  subAttributes?: object[]
}

const attribute = (name: string, description: string, said: Said = {}) => ({
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
  attribute('value', `the id of the ${what}`, { caseExact: true, mutability }),
  attribute('display', `what the ${what} is called`, { mutability: 'readOnly' }),
  {
    ...attribute('$ref', `where the ${what} is`, { type: 'reference', mutability }),
    referenceTypes: ['User', 'Group'],
  },
]

const userAttributes = [
  attribute('userName', 'by what the directory tells people apart', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'what the directory calls the person', { caseExact: true }),
  attribute('name', 'the parts of the name', {
    subAttributes: [
      attribute('formatted', 'the whole name', { mutability: 'readOnly' }),
      attribute('givenName', 'the given name'),
      attribute('familyName', 'the family name'),
    ],
  }),
  attribute('displayName', 'what the person is called'),
  attribute('active', 'whether the person is a member of the organization', { type: 'boolean' }),
  attribute('emails', 'where the person is reached; one is kept', {
    multiValued: true,
    subAttributes: [
      attribute('value', 'the address'),
      attribute('type', 'work'),
      attribute('primary', 'true', { type: 'boolean' }),
    ],
  }),
  attribute('groups', 'the roles of the person', {
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: reference('group', 'readOnly'),
  }),
]
const groupAttributes = [
  attribute('displayName', 'the name of the role', { required: true, mutability: 'immutable', uniqueness: 'server' }),
  attribute('members', 'who has the role', { multiValued: true, subAttributes: reference('user', 'immutable') }),
]

const schemasOf = (base: string) =>
  [
    { id: urn.user, name: 'User', description: 'A person of the organization', attributes: userAttributes },
    { id: urn.group, name: 'Group', description: 'A role of the organization', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: [urn.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))

/** A list that is the same for all, and each of it by its id. */
function listRoutes<T extends { id: string; schemas: string[] }>(
  path: string,
  summary: string,
  description: string,
  title: string,
  all: (base: string) => T[],
): Route[] {
  return [
    route({
      ...scim,
      method: 'GET',
      path,
      summary,
      description,
      query: anything,
      reply: listOf(Document, title),
      example: listed(all(shownBase), all(shownBase).length, 1),
      handle: async (_request, services) => {
        const found = all(baseOf(services))
        return listed(found, found.length, 1)
      },
    }),
    route({
      ...scim,
      method: 'GET',
      path: `${path}/:name`,
      summary: `${summary}: one of them`,
      description: `By its id, as the list has it. ${description}`,
      params: t.Object({ name: t.String({ maxLength: 100, description: 'by its id', examples: [all('')[0]!.id] }) }),
      query: anything,
      reply: Document,
      example: all(shownBase)[0]!,
      handle: async ({ params: { name } }, services) => {
        const found = all(baseOf(services)).find(({ id }) => id === name)
        if (!found) throw Fault.missing('such document', name)
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
    summary: 'What this service can do of SCIM 2.0',
    description:
      'Changes by PATCH, filters of at most 200 results, and versions by ETag; no bulk, no sorting, no passwords.',
    query: anything,
    reply: Document,
    example: configOf(shownBase),
    handle: async (_request, services) => configOf(baseOf(services)),
  }),
  ...listRoutes(
    '/scim/v2/ResourceTypes',
    'The kinds of resources of SCIM',
    'People are Users, roles are Groups; both are the same for every organization.',
    'ScimResourceTypeList',
    typesOf,
  ),
  ...listRoutes(
    '/scim/v2/Schemas',
    'What is known of each kind of resource of SCIM',
    'Each attribute that is kept, and whether a directory may change it. Others are passed over.',
    'ScimSchemaList',
    schemasOf,
  ),
]
