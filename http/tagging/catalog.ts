/** For building tagging policies: what they can be made of, and whether one is valid (decision G-38). */
import type { EntityManager } from '@mikro-orm/postgresql'
import { operators, resourceAttrs } from '#actors/policy/selector.ts'
import { inventoryWords } from '#actors/tagging/policy/inventory.ts'
import { taggingDomain, valueFields } from '#actors/tagging/policy/policy.ts'
import type { SpecError } from '#actors/capability.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { ValidationReply, specErrors, toValidationReply } from '#http/policy/spec.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { providers } from '#streams/names.ts'

const labels: Readonly<Record<(typeof resourceAttrs)[number], string>> = {
  'res.provider': 'Provider',
  'res.type': 'Type',
  'res.region': 'Region',
  'res.name': 'Name',
  'res.instance_type': 'Instance type',
  'res.resource_group': 'Resource group',
  'res.cloud_account_id': 'Account',
  'res.tags': 'Tag of the cloud',
}

const Facet = t.Object({
  attr: t.String({ description: 'the name in conditions; for tags, replace <key> with the key' }),
  name: t.String({ description: 'the same name without res., which conditions can omit' }),
  label: t.String(),
  type: t.Literal('string'),
  operators: t.Array(t.String()),
  values: t.Optional(
    t.Array(t.String(), { description: 'existing values in the inventory; other values are accepted too' }),
  ),
})

const Catalog = t.Object({
  facets: t.Array(Facet),
  operators: t.Array(t.String()),
  fields: t.Array(
    t.Object({
      field: t.Enum(valueFields),
      label: t.String(),
      providers: t.Array(t.Enum(providers), { description: 'providers whose resources have this attribute' }),
    }),
  ),
})

const facet = (attr: (typeof resourceAttrs)[number], values: readonly string[] | undefined) => {
  const full = attr === 'res.tags' ? 'res.tags.<key>' : attr
  const type = 'string' as const
  const own = { attr: full, name: full.replace(/^res\./, ''), label: labels[attr], type, operators: [...operators] }
  return { ...own, ...(values && { values: [...values] }) }
}

/** A whole policy is easily mistaken for its spec. */
const isPolicy = (spec: unknown): boolean =>
  typeof spec === 'object' && spec !== null && 'spec' in spec && !('tag' in spec)

const misplacedSpecError: SpecError = {
  path: '/spec',
  code: 'additionalProperties',
  message: 'is not a known field: send the spec itself, without the policy around it',
}

const errorsOf = async (spec: unknown, em: EntityManager, orgId: string): Promise<readonly SpecError[]> =>
  isPolicy(spec) ? [misplacedSpecError] : specErrors(taggingDomain, spec, em, orgId)

const routeBase = { permission: 'service.view', tags: ['Tagging'] } as const

export const taggingCatalog: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    path: '/tagging/policies/catalog',
    summary: 'List the building blocks of tagging policies',
    description:
      'Attributes with their operators and the existing values in the inventory, and the fields that values can be taken from. A role with a report scope only gets the values of its resources.',
    reply: Catalog,
    example: {
      facets: [
        {
          attr: 'res.provider',
          name: 'provider',
          label: 'Provider',
          type: 'string',
          operators: ['in', 'not_in'],
          values: ['aws', 'gcp', 'azure'],
        },
      ],
      operators: ['in', 'not_in'],
      fields: [{ field: 'res.region', label: 'Region', providers: ['aws', 'gcp', 'azure'] }],
    },
    handle: async ({ caller }, { em }) => {
      const words = await inventoryWords(em, caller.orgId, scopeOf(caller).scope)
      const values = { 'res.provider': [...providers], ...words }
      return {
        facets: resourceAttrs.map((attr) => facet(attr, (values as Record<string, readonly string[]>)[attr])),
        operators: [...operators],
        fields: valueFields.map((field) => ({
          field,
          label: labels[field],
          providers: field === 'res.resource_group' ? ['azure' as const] : [...providers],
        })),
      }
    },
  }),

  route({
    ...routeBase,
    method: 'POST',
    path: '/tagging/policies/validations',
    readOnly: true,
    summary: 'Validate the spec of a tagging policy; nothing is stored',
    description: 'For any JSON, the response lists its errors.',
    body: t.Unknown({ shapes: [taggingDomain.schema], examples: [...taggingDomain.examples] }),
    reply: ValidationReply,
    example: { valid: true, errors: [] },
    handle: async ({ caller: { orgId }, body }, { em }) => toValidationReply(await errorsOf(body, em, orgId)),
  }),
]
