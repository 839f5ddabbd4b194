/**
 * Policies of domain `tagging`: the tag that resources should have, derived from what is known of them (decisions G-37,
 * G-38).
 */
import { policiesMax, type PolicyDomain } from '#actors/capability.ts'
import { resourceAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'

/** Fields that a value may contain; `res.resource_group` is Azure's, in lower case, and empty elsewhere. */
export const valueFields = [
  'res.type',
  'res.region',
  'res.provider',
  'res.instance_type',
  'res.name',
  'res.resource_group',
] as const
export type ValueField = (typeof valueFields)[number]

export const TaggingSpec = t.Object({
  selector: t.Optional(Selector),
  tag: t.Object({
    key: text({ minLength: 1, maxLength: 128, pattern: '\\S', description: 'tag key' }),
    value: t.Object({
      fields: t.Array(t.Enum(valueFields), {
        minItems: 1,
        maxItems: 6,
        description: 'fields to join; empty values are skipped',
      }),
      join: text({ maxLength: 5, description: 'separator between the values' }),
      standardize: t.Boolean({ description: 'true: converts the value to lowercase' }),
    }),
  }),
})
export type TaggingSpec = Static<typeof TaggingSpec>

export const taggingDomain: PolicyDomain = {
  name: 'tagging',
  summary: 'Derives a tag from attributes of the resource.',
  schema: TaggingSpec,
  examples: [
    {
      selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] },
      tag: { key: 'location', value: { fields: ['res.provider', 'res.region'], join: '-', standardize: true } },
    },
  ],
  max: policiesMax,
  attrs: resourceAttrs,
  check: ({ selector }: TaggingSpec) => (selector ? selectorErrors(selector, resourceAttrs) : []),
}
