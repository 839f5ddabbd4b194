/** Changed governance settings: environments, hours, tags, regions and sizes that rules read. */
import { enabledPolicies } from '#actors/policy/queries.ts'
import { governanceOf, type GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { governanceDomain } from '#actors/recommendation/policy/policy.ts'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { pathsOf } from '#actors/recommendation/rule/needs.ts'
import { once } from '#engine/value/once.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { kind, policyChange, specGiven, type WhatIfRequest } from '#http/what-if/kind.ts'
import { presentSide, replayDays, replayReply, replayShown } from '#http/what-if/replay.ts'

const Change = t.Object({ spec: policyChange.spec })

type Governance = ReturnType<typeof governanceOf>

/** Facts that depend on a setting. Metrics measured within the current business hours stay as they were measured. */
const followers: Readonly<Record<keyof GovernanceSpec, RegExp>> = {
  requiredTags: /^gov\.missing_required_tag/,
  allowedTagValues: /^gov\.invalid_tag_value/,
  allowedRegions: /^gov\.region_allowed$/,
  allowedInstanceTypes: /^gov\.type_allowed$/,
  nonprodEnvs: /^policy\.nonprod_envs$/,
  businessHours: /^policy\.business_hours/,
  timezone: /^never$/,
  envTagKeys: /^res\.env$/,
  optOutTag: /^never$/,
  sizeFamilies: /^never$/,
}
const settings = Object.keys(followers) as (keyof GovernanceSpec)[]
const ofGovernance = /^gov\./

/** Each rule with the paths it reads. */
const readers = once(() => allRules().map((rule) => ({ rule, paths: pathsOf(rule) })))

const isOther = (before: Governance, after: Governance, name: keyof GovernanceSpec): boolean =>
  JSON.stringify(before[name]) !== JSON.stringify(after[name])

/**
 * The rules whose result may change; without a change, the rules that depend on governance, so that their findings are
 * shown.
 */
export function governedRules(before: Governance, after: Governance): Rule[] {
  const others = settings.filter((name) => isOther(before, after, name))
  const shapes = others.length === 0 ? [ofGovernance] : others.map((name) => followers[name])
  const [isOfSizes, isOfAllCosts] = [others.includes('sizeFamilies'), others.includes('optOutTag')]
  return readers()
    .filter(
      ({ rule, paths }) =>
        paths.some((path) => shapes.some((shape) => shape.test(path))) ||
        (isOfSizes && rule.target.kind === 'fit') ||
        (isOfAllCosts && rule.severity.mode === 'cost'),
    )
    .map(({ rule }) => rule)
}

async function answer(asked: WhatIfRequest<Static<typeof Change>>) {
  const { change, services, caller } = asked
  const spec = await specGiven(governanceDomain, change, asked)
  const present = await presentSide(asked as WhatIfRequest<never>)
  const [oldest] = await enabledPolicies(services.em, caller.orgId, governanceDomain.name)
  const id = oldest?.id ?? ''
  const governance = governanceOf([{ id, name: '', createdAt: new Date(0), spec }])
  const ruleIds = governedRules(present.governance, governance).map((rule) => rule.id)
  const isOfHours =
    isOther(present.governance, governance, 'businessHours') || isOther(present.governance, governance, 'timezone')
  const reasons = isOfHours ? ['Usage within and outside business hours is as measured with the current hours.'] : []
  const sides = { before: { ...present, ruleIds }, after: { ...present, ruleIds, governance } }
  return { kind: 'governance' as const, ...(await replayDays(asked as WhatIfRequest<never>, sides, reasons)) }
}

export const governanceKind = kind({
  name: 'governance',
  summary: 'other allowed environments, tags, regions and sizes of the organization, with all rules that use them',
  untilToday: true,
  change: Change,
  reply: t.Object({ kind: t.Literal('governance'), ...replayReply }),
  example: { spec: { requiredTags: ['owner', 'cost-center'] } },
  answered: {
    kind: 'governance',
    ...replayShown,
  },
  answer,
})
