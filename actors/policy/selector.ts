/**
 * Selectors (decision G-38): all conditions must match; comparison ignores case. The one compiler for all features that
 * select by attributes.
 */
import type { SpecError } from '#actors/capability.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { realName } from '#streams/names.ts'
import { text } from '#streams/text.ts'

export const operators = [
  'in',
  'not_in',
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'ends_with',
  'exists',
  'not_exists',
] as const
export type Operator = (typeof operators)[number]

/** Attributes by their full names; tags are `res.tags.<key>`. */
export const resourceAttrs = [
  'res.provider',
  'res.type',
  'res.region',
  'res.name',
  'res.instance_type',
  'res.resource_group',
  'res.cloud_account_id',
  'res.tags',
] as const
/** Attributes of a bill line; its tags are the effective tags of its resource. */
export const lineAttrs = [
  'line.service',
  'line.cloud_account_id',
  'line.billing_account',
  'line.sub_account',
  'line.charge_category',
  'res.tags',
] as const
/** Facts `account.` are about accounts and evaluated separately: see `account-condition.ts`. */
export type Fact = (typeof resourceAttrs)[number] | (typeof lineAttrs)[number] | 'account.ou' | 'account.tag'

/** What conditions are compared with: the text of each attribute, and tags. */
export interface Facts {
  readonly of: Readonly<Partial<Record<Fact, string>>>
  readonly tags: Readonly<Record<string, string>>
}

const conditionsMax = 20
const valuesMax = 100

export const SelectorCondition = t.Object({
  attr: text({
    minLength: 1,
    maxLength: 300,
    description: 'for example res.type or res.tags.owner; the prefix res. is optional',
  }),
  op: t.Enum(operators),
  values: t.Optional(
    t.Array(text({ maxLength: 256 }), {
      maxItems: valuesMax,
      description: 'matches any of these, case-insensitive; empty for exists and not_exists',
    }),
  ),
})
export type SelectorCondition = Static<typeof SelectorCondition>

export const Selector = t.Object({
  all: t.Array(SelectorCondition, { maxItems: conditionsMax, description: 'all conditions must match' }),
})
export type Selector = Static<typeof Selector>

/** A compiled condition, with values in lower case. */
export interface CompiledCondition {
  fact: Fact
  /** The tag key in lower case; empty if the condition is not about a tag. */
  tag: string
  op: Operator
  values: readonly string[]
}

/** Short names of line attributes. */
const aliases: Readonly<Record<string, Fact>> = {
  service: 'line.service',
  service_name: 'line.service',
  charge_category: 'line.charge_category',
  'line.account': 'line.cloud_account_id',
  'res.cloud_account_id': 'line.cloud_account_id',
  cloud_account_id: 'line.cloud_account_id',
  account: 'line.cloud_account_id',
  billing_account: 'line.billing_account',
  sub_account: 'line.sub_account',
}

/** Undefined for an attribute that is not in `attrs`. */
export function compileCondition(
  { attr, op, values = [] }: SelectorCondition,
  attrs: readonly Fact[],
): CompiledCondition | undefined {
  const [, tag] = /^(?:res\.|line\.)?tags?\.(.+)$/s.exec(attr) ?? []
  const [, ofAccount] = /^account\.tags?\.(.+)$/s.exec(attr) ?? []
  const lowered = values.map((value) => value.toLowerCase())
  if (ofAccount !== undefined)
    return attrs.includes('account.tag')
      ? { fact: 'account.tag', tag: ofAccount.toLowerCase(), op, values: lowered }
      : undefined
  if (tag !== undefined)
    return attrs.includes('res.tags') ? { fact: 'res.tags', tag: tag.toLowerCase(), op, values: lowered } : undefined
  const alias = aliases[attr]
  const fact = attrs.find(
    (known) =>
      known !== 'res.tags' && known !== 'account.tag' && (known === attr || known === `res.${attr}` || known === alias),
  )
  if (fact === undefined) return undefined
  const isNamed = fact === 'res.provider' || fact === 'res.type'
  return { fact, tag: '', op, values: isNamed ? lowered.map(realName) : lowered }
}

/** Whether a condition is about one of these attributes. */
export const isCondition = (condition: SelectorCondition, attrs: readonly Fact[]): boolean =>
  compileCondition(condition, attrs) !== undefined

const needsValues = (op: Operator): boolean => op !== 'exists' && op !== 'not_exists'

/** Errors of a selector; `at` is its path in the spec. */
export function selectorErrors(selector: Selector, attrs: readonly Fact[], at = '/selector'): SpecError[] {
  return selector.all.flatMap((condition, i) => {
    const errors: SpecError[] = []
    if (!compileCondition(condition, attrs))
      errors.push({
        path: `${at}/all/${i}/attr`,
        code: 'unknown',
        message: `must be one of ${attrs.map((attr) => (isTags(attr) ? `${attr}.<key>` : attr)).join(', ')}`,
      })
    if (needsValues(condition.op) && !condition.values?.length)
      errors.push({
        path: `${at}/all/${i}/values`,
        code: 'minItems',
        message: `must have at least one value for the operator ${condition.op}`,
      })
    return errors
  })
}

const isTags = (attr: Fact): boolean => attr === 'res.tags' || attr === 'account.tag'

/** Whether any condition is about a tag. */
export const asksTags = (selector: Selector | undefined): boolean =>
  (selector?.all ?? []).some((condition) => compileCondition(condition, ['res.tags']) !== undefined)

/**
 * Whether all conditions match; a condition with an unknown attribute never does. Without a selector everything
 * matches.
 */
export function compileSelector(selector: Selector | undefined, attrs: readonly Fact[]): (facts: Facts) => boolean {
  const conditions = (selector?.all ?? []).map((condition) => compileCondition(condition, attrs))
  return (facts) => conditions.every((condition) => condition !== undefined && holds(condition, facts))
}

function holds({ fact, tag, op, values }: CompiledCondition, facts: Facts): boolean {
  const value = isTags(fact) ? tagOf(facts.tags, tag) : (facts.of[fact] ?? '').toLowerCase()
  switch (op) {
    case 'in':
    case 'equals':
      return values.includes(value)
    case 'not_in':
    case 'not_equals':
      return !values.includes(value)
    case 'contains':
      return values.some((one) => value.includes(one))
    case 'starts_with':
      return values.some((one) => (fact === 'account.ou' ? isBelow(value, one) : value.startsWith(one)))
    case 'ends_with':
      return values.some((one) => value.endsWith(one))
    case 'exists':
      return value !== ''
    case 'not_exists':
      return value === ''
  }
}

/** Whether a path is in an organizational unit or in one below it. */
function isBelow(path: string, unit: string): boolean {
  return path !== '' && `${path}/`.startsWith(`${unit.replace(/\/+$/, '')}/`)
}

/**
 * The value of a tag in lower case, ignoring the case of its key; of several spellings the first in alphabetical order.
 */
function tagOf(tags: Readonly<Record<string, string>>, key: string): string {
  const spelled = Object.keys(tags)
    .filter((one) => one.toLowerCase() === key)
    .toSorted()[0]
  return spelled === undefined ? '' : tags[spelled]!.toLowerCase()
}
