/** Policies of domain `allocation`: rules that assign resources to teams. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { begunRule } from '#actors/attribution/change.ts'
import { policiesMax, type PolicyDomain, type SpecError } from '#actors/capability.ts'
import { accountAttrs } from '#actors/policy/account-condition.ts'
import { resourceAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { allocationChanged } from '#streams/attribution.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'
import { findTeam } from '#actors/attribution/team/queries.ts'

/** The key of a mark for one resource. */
export const allocationKey = (cloudAccountId: string, resourceUid: string): string =>
  `${encodeURIComponent(cloudAccountId)}|${resourceUid}`

/** The resource of a mark; undefined if the mark is not about one resource. */
export function allocationKeyOf(key: string): { account: string; uid: string } | undefined {
  const end = key.indexOf('|')
  return end < 0 ? undefined : { account: decodeURIComponent(key.slice(0, end)), uid: key.slice(end + 1) }
}

const aliasesMax = 200

/**
 * Has either `team` or `teamFromTag`. Of several rules that select a resource, the one with the lowest `priority` wins,
 * then the oldest.
 */
export const AllocationSpec = t.Object({
  priority: t.Integer({ minimum: 1, maximum: 10_000, description: 'lower numbers are evaluated first' }),
  selector: t.Optional(Selector),
  team: t.Optional(text({ minLength: 1, maxLength: 64, description: 'team ID' })),
  teamFromTag: t.Optional(
    t.Object({
      key: text({
        minLength: 1,
        maxLength: 128,
        description: 'key of the effective tag that names the team; case-insensitive',
      }),
      aliases: t.Optional(
        t.Record(text({ maxLength: 256 }), text({ minLength: 1, maxLength: 100 }), {
          maxProperties: aliasesMax,
          description: 'team names by tag value; case-insensitive',
        }),
      ),
      create: t.Optional(t.Boolean({ description: 'true: creates a team when no team has that name' })),
    }),
  ),
})
export type AllocationSpec = Static<typeof AllocationSpec>

const attrs = [...resourceAttrs, ...accountAttrs] as const

async function check(spec: AllocationSpec, em: EntityManager, orgId: string): Promise<SpecError[]> {
  const errors = spec.selector ? selectorErrors(spec.selector, attrs) : []
  if ((spec.team === undefined) === (spec.teamFromTag === undefined))
    errors.push({ path: '', code: 'one_of', message: 'must have either team or teamFromTag' })
  if (spec.team !== undefined && !(await findTeam(em, orgId, spec.team)))
    errors.push({ path: '/team', code: 'unknown', message: 'is not a team in this organization' })
  return errors
}

export const allocationDomain: PolicyDomain = {
  name: 'allocation',
  summary: 'Assigns resources to teams by rule. Manual assignments take precedence.',
  schema: AllocationSpec,
  examples: [{ priority: 10, teamFromTag: { key: 'team', aliases: { 'data-team': 'Data' }, create: true } }],
  max: policiesMax,
  attrs,
  check,
  async changed(change) {
    await begunRule(change, 'allocated')
    await change.tell(allocationChanged, {})
  },
}
