/** A rule with changed parameters, enabled or disabled, or one that is not in the catalogue. */
import { resourceAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { recommendationDomain } from '#actors/recommendation/policy/policy.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { triedErrors } from '#actors/recommendation/rule/check.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { needsOf, type WrittenRule } from '#actors/recommendation/rule/needs.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { id, kind, wrong, type WhatIfRequest } from '#http/what-if/kind.ts'
import { presentSide, replayDays, replayReply, replayShown } from '#http/what-if/replay.ts'
import { checkSpec } from '#http/policy/spec.ts'
import { text } from '#streams/text.ts'

const Change = t.Object({
  ruleId: t.Optional(id('rule: from the catalogue')),
  rule: t.Optional(
    t.Unknown({
      description: 'rule: a draft, in the form of the catalogue, with its own ID (RC-9 and three digits)',
    }),
  ),
  params: t.Optional(
    t.Record(text({ minLength: 1, maxLength: 64 }), t.Union([t.Number(), text({ maxLength: 256 })]), {
      maxProperties: 20,
      description: 'rule: parameters that override those of the rule; omitted ones are unchanged',
    }),
  ),
  enabled: t.Optional(
    t.Boolean({ description: 'rule: false disables it, true enables it even if a policy disables it' }),
  ),
  selector: t.Optional(Selector),
})
type Change = Static<typeof Change>

/** Parses a rule that is tried. @throws Fault `invalid`, each error with its path */
function parseRule(written: unknown): Rule {
  const errors = triedErrors(written)
  if (errors.length > 0)
    throw badInput(
      ...errors.map(({ path, message }) => ({
        in: 'body' as const,
        name: `/change/rule${path}`,
        code: 'rule',
        message,
      })),
    )
  const rule = written as WrittenRule
  return { ...rule, needs: needsOf(rule) }
}

/** @throws Fault `invalid`, each error with its path */
function checkSelector(selector: NonNullable<Change['selector']>): void {
  const errors = selectorErrors(selector, resourceAttrs)
  if (errors.length > 0)
    throw badInput(
      ...errors.map(({ path, code, message }) => ({ in: 'body' as const, name: `/change${path}`, code, message })),
    )
}

async function changeOf(asked: WhatIfRequest<Change>) {
  const { change, services, caller } = asked
  const { ruleId, rule, params, enabled, selector } = change
  if ((ruleId === undefined) === (rule === undefined))
    throw wrong('/change', 'required', 'requires exactly one of ruleId and rule')
  if (rule !== undefined) {
    const given = Object.keys(change).find((name) => name !== 'rule')
    if (given) throw wrong(`/change/${given}`, 'needless', 'a draft rule has its own')
    return { before: { ruleIds: [] }, after: { ruleIds: [], rule: parseRule(rule) } }
  }
  if (!ruleOf(ruleId!)) throw Fault.missing('rule', ruleId!)
  const spec = {
    ruleId: ruleId!,
    ...(params && { params }),
    ...(enabled !== undefined && { enabled }),
    ...(selector && { selector }),
  }
  // Without a change, the question is what was found.
  if (params !== undefined || enabled !== undefined)
    await checkSpec(recommendationDomain, spec, services.em, caller.orgId, '/change')
  else if (selector) checkSelector(selector)
  return { before: { ruleIds: [ruleId!] }, after: { ruleIds: [ruleId!], change: spec } }
}

async function answer(asked: WhatIfRequest<Change>) {
  const { before, after } = await changeOf(asked)
  const present = await presentSide(asked as WhatIfRequest<never>)
  const found = await replayDays(asked as WhatIfRequest<never>, {
    before: { ...present, ...before },
    after: { ...present, ...after },
  })
  return { kind: 'rule' as const, ...found }
}

export const ruleKind = kind({
  name: 'rule',
  summary: 'a recommendation rule with other parameters, enabled or disabled, or a draft',
  untilToday: true,
  change: Change,
  reply: t.Object({ kind: t.Literal('rule'), ...replayReply }),
  example: { ruleId: 'RC-1001', params: { cpu_max_percent: 8 } },
  answered: {
    kind: 'rule',
    ...replayShown,
  },
  answer,
})
