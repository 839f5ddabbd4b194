import { enabledPolicies, policiesWith, policyWanted } from '#actors/policy/queries.ts'
import { compileRules, type TaggingRule } from '#actors/tagging/policy/derive.ts'
import { acceptedPredictions, inventory } from '#actors/tagging/policy/inventory.ts'
import { taggingDomain, type TaggingSpec } from '#actors/tagging/policy/policy.ts'
import { tagBy, TagReplay, type Tag, type TagOutcome, type TagSide } from '#actors/tagging/policy/replay.ts'
import { costDaysByResource, type CostDaysRow } from '#analytics/cost/questions.ts'
import { tagSources } from '#analytics/tagging/questions.ts'
import { days, daysBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { costQuestion, scopeOf } from '#http/report/filter/filter.ts'
import { approximation, kind, policyChange, resourcesMax, specGiven, type WhatIfRequest } from '#http/what-if/kind.ts'
import { usd } from '#streams/figure.ts'

const Change = t.Object(policyChange)
type Change = Static<typeof Change>

const ShownTag = orNull(
  t.Object({ value: t.String(), tagSource: t.Enum(tagSources) }, { description: 'null for none' }),
)

/** Maximum items of one list. */
const itemsMax = 100

const Item = t.Object({
  cloudAccountID: t.String(),
  resourceUid: t.String(),
  resourceName: t.String(),
  costUSD: t.Number(),
  before: ShownTag,
  after: ShownTag,
})

const Side = t.Object({
  taggedResources: t.Integer(),
  taggedUSD: t.Number(),
  untaggedUSD: t.Number(),
  valueCount: t.Integer({ description: 'number of distinct values, shown or not' }),
  values: t.Array(t.Object({ value: t.String(), resources: t.Integer(), costUSD: t.Number() }), {
    description: `the top ${itemsMax} by cost`,
  }),
})

const TaggingWhatIf = t.Object({
  kind: t.Literal('tagging'),
  from: t.String(),
  to: t.String(),
  key: t.String({ description: 'the tag that the spec assigns' }),
  resources: t.Integer({ description: 'in the current inventory' }),
  before: t.Object(Side.properties, {
    description: 'with the current policies, as if all their derived tags were accepted',
  }),
  after: t.Object(Side.properties, { description: 'and with the spec' }),
  goneUSD: t.Number({ description: 'cost of resources that are not in the inventory; included on neither side' }),
  addedCount: t.Integer(),
  removedCount: t.Integer(),
  changedCount: t.Integer(),
  added: t.Array(Item, { description: `at most ${itemsMax}, highest cost first, like the other lists` }),
  removed: t.Array(Item),
  changed: t.Array(Item, { description: 'with another value' }),
  byDay: t.Array(t.Object({ date: t.String(), before: t.Number({ money: true }), after: t.Number({ money: true }) }), {
    description: 'taggedUSD of the day',
  }),
  ...approximation,
})

async function answer(asked: WhatIfRequest<Change>): Promise<Static<typeof TaggingWhatIf>> {
  const { from, to, change, caller, services } = asked
  const { em } = services
  const { orgId } = caller
  const spec = (await specGiven(taggingDomain, change, asked)) as TaggingSpec
  const wanted = { em, orgId, domain: taggingDomain.name, now: services.now(), spec, policyId: change.policyID }
  const given = await policyWanted(wanted)
  const policies = await enabledPolicies(em, orgId, taggingDomain.name)
  const { key } = spec.tag
  const sides = [policies, policiesWith(policies, given)].map(compileRules) as [readonly TaggingRule[], TaggingRule[]]
  const replay = new TagReplay(daysBetween(from, to) + 1)
  await tag(asked, key, sides, replay)
  await charge(asked, replay)
  const gives = policies.find(({ id }) => id === change.policyID)?.spec as TaggingSpec | undefined
  return { kind: 'tagging', from, to, key, ...toReply(replay, [...days(from, to)]), ...reasonsOf(key, gives?.tag?.key) }
}

/** @throws Fault `refused` `report_too_large` */
async function tag(
  { caller, services: { em }, goOn }: WhatIfRequest<Change>,
  key: string,
  sides: readonly [readonly TaggingRule[], readonly TaggingRule[]],
  replay: TagReplay,
): Promise<void> {
  const predictions = await acceptedPredictions(em, caller.orgId, key)
  const [before, after] = sides.map((rules) => tagBy(rules, key)) as [
    ReturnType<typeof tagBy>,
    ReturnType<typeof tagBy>,
  ]
  const only = sides.flat().some(({ asksTags }) => asksTags) ? undefined : key
  for await (const page of inventory(em, caller.orgId, scopeOf(caller).scope, only)) {
    goOn()
    for (const one of page) {
      const predicted = predictions.get(one.cloudAccountId)?.get(one.uid)
      replay.add(one, before(one.facts, predicted), after(one.facts, predicted))
    }
    if (replay.size > resourcesMax)
      throw Fault.refused('report_too_large', `At most ${resourcesMax} resources are evaluated.`)
  }
}

/** Rows between two checks of the time limit. */
const rowsMax = 1000

async function charge({ caller, from, to, services, goOn }: WhatIfRequest<Change>, replay: TagReplay): Promise<void> {
  const question = costQuestion(caller, {}, { fromDay: from, toDay: to }, services)
  let rows = 0
  for await (const row of services.stream(costDaysByResource, question)) {
    const [account, uid, at, costs] = row as CostDaysRow
    replay.charge(account, uid, at, costs)
    if (++rows % rowsMax === 0) goOn()
  }
}

function toReply(replay: TagReplay, dates: readonly string[]) {
  const { before, after, gone, size: resources } = replay
  const { added, removed, changed } = replay.changed()
  return {
    resources,
    before: sideOf(before),
    after: sideOf(after),
    goneUSD: usd(gone),
    addedCount: added.length,
    removedCount: removed.length,
    changedCount: changed.length,
    added: added.slice(0, itemsMax).map(itemOf),
    removed: removed.slice(0, itemsMax).map(itemOf),
    changed: changed.slice(0, itemsMax).map(itemOf),
    byDay: dates.map((date, n) => ({ date, before: usd(before.byDay[n]!), after: usd(after.byDay[n]!) })),
  }
}

function sideOf({ taggedResources, tagged, untagged, values }: TagSide): Static<typeof Side> {
  const dearest = [...values].toSorted(
    ([v, a], [w, b]) => Number(b.cost > a.cost) - Number(b.cost < a.cost) || (v < w ? -1 : 1),
  )
  return {
    taggedResources,
    taggedUSD: usd(tagged),
    untaggedUSD: usd(untagged),
    valueCount: values.size,
    values: dearest
      .slice(0, itemsMax)
      .map(([value, { resources, cost }]) => ({ value, resources, costUSD: usd(cost) })),
  }
}

const tagOf = (found: Tag | undefined) => (found ? { value: found.value, tagSource: found.source } : null)

const itemOf = ({ cloudAccountId, uid, name, cost, before, after }: TagOutcome): Static<typeof Item> => ({
  cloudAccountID: cloudAccountId,
  resourceUid: uid,
  resourceName: name,
  costUSD: usd(cost),
  before: tagOf(before),
  after: tagOf(after),
})

const reasonsOf = (key: string, present: string | undefined) => ({
  approximate: true,
  reasons: [
    'Resources are from the current inventory; deleted ones are in goneUSD.',
    'Derived tags count as if they had been accepted.',
    ...(present !== undefined && present !== key
      ? [`The policy currently assigns the tag ${present}, which it would no longer assign; only ${key} is evaluated.`]
      : []),
  ],
})

export const taggingKind = kind({
  name: 'tagging',
  summary: 'a tagging policy with another spec, or a new one, over the inventory, with daily costs',
  change: Change,
  reply: TaggingWhatIf,
  example: { spec: taggingDomain.examples[0] },
  answered: {
    kind: 'tagging',
    from: '2026-01-01',
    to: '2026-01-31',
    key: 'location',
    resources: 120,
    before: { taggedResources: 0, taggedUSD: 0, untaggedUSD: 1840.25, valueCount: 0, values: [] },
    after: {
      taggedResources: 120,
      taggedUSD: 1840.25,
      untaggedUSD: 0,
      valueCount: 1,
      values: [{ value: 'us-east-1', resources: 120, costUSD: 1840.25 }],
    },
    goneUSD: 0,
    addedCount: 1,
    removedCount: 0,
    changedCount: 0,
    added: [
      {
        cloudAccountID: 'acct-1',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceName: 'shop-prod-web-1',
        costUSD: 71.42,
        before: null,
        after: { value: 'us-east-1', tagSource: 'smart' },
      },
    ],
    removed: [],
    changed: [],
    byDay: [{ date: '2026-01-15', before: 0, after: 59.36 }],
    approximate: false,
    reasons: [],
  },
  answer,
})
