import { routeCommand } from '#config/command/line/build.ts'
import type { Command, Result } from '#config/command/line/command.ts'
import { choice, id, limit, optional, org } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Recommendation } from '#http/recommendation/body.ts'
import type { RecommendationDetail } from '#http/recommendation/detail.ts'
import type { RuleView } from '#http/recommendation/rule.ts'
import { categories, recommendationStatuses } from '#streams/recommendation.ts'

const lineOf = ({ id, status, severity, savingsUsd, title }: Recommendation): string =>
  `${id}  ${status}  ${severity}  ${savingsUsd.toFixed(2)} USD  ${title}`

const paragraphs = (one: RecommendationDetail): string =>
  [
    lineOf(one),
    one.description,
    `Current cost: ${one.currentCostUsd.toFixed(2)} USD per 30 days.`,
    ...one.remediationSteps.map((step) => `${step.order}. ${step.text}`),
    ...Object.keys(one.evidence)
      .toSorted()
      .map((name) => `${name}: ${JSON.stringify(one.evidence[name])}`),
  ].join('\n')

const list = listOf<Recommendation>(
  {
    ID: 'id',
    STATUS: 'status',
    SEVERITY: 'severity',
    'SAVINGS USD': ({ savingsUsd }) => savingsUsd.toFixed(2),
    TITLE: 'title',
  },
  'No recommendations.',
)

const rules = listOf<RuleView>(
  {
    RULE: 'ruleId',
    CATEGORY: 'category',
    'CHANGED BY POLICY': ({ overridden }) => (overridden ? 'yes' : 'no'),
    TITLE: 'title',
  },
  'No rules.',
)

const show = (data: Recommendation): Result => ({ data, text: lineOf(data) })

const ofOne = { org, id: id('Recommendation', 'recommendations list') }
const category = choice('CATEGORY', categories)
const note = optional('TEXT', 'Reason, kept in the history')

/** The route that people decide by. */
const decision = { route: 'PATCH /recommendations/:recommendationID', show }

export const recommendationCommands: readonly Command[] = [
  routeCommand({
    name: 'recommendations list',
    summary: 'List recommendations, largest savings first',
    takes: {
      org,
      status: choice('STATUS', recommendationStatuses, '; default: all'),
      category,
      search: optional('TEXT', 'Text in the resource name or the title'),
      limit: limit(),
    },
    route: 'GET /recommendations',
    ask: ({ status, category, search, limit }) => ({ query: { status, category, search, limit } }),
    show: ({ items }: ListPage<Recommendation>) => list(items),
  }),
  routeCommand({
    name: 'recommendations show',
    summary: 'Show the evidence and remediation steps of a recommendation',
    takes: ofOne,
    route: 'GET /recommendations/:recID/detail',
    ask: ({ id: recID }) => ({ params: { recID } }),
    show: (data: RecommendationDetail) => ({ data, text: paragraphs(data) }),
  }),
  routeCommand({
    ...decision,
    name: 'recommendations dismiss',
    summary: 'Dismiss a recommendation, permanently or until a time',
    takes: {
      ...ofOne,
      until: optional('TIME', 'Reopen at this time if it still applies, for example 2027-03-01T00:00:00Z'),
      note,
    },
    ask: ({ id: recommendationID, until: snoozeUntil, note }) => ({
      params: { recommendationID },
      body: { status: 'dismissed', snoozeUntil, note },
    }),
  }),
  routeCommand({
    ...decision,
    name: 'recommendations apply',
    summary: 'Mark a recommendation as applied',
    takes: {
      ...ofOne,
      since: optional('TIME', 'When it was applied, if not now, for example 2027-03-01T00:00:00Z'),
      note,
    },
    ask: ({ id: recommendationID, since: appliedAt, note }) => ({
      params: { recommendationID },
      body: { status: 'applied', appliedAt, note },
    }),
  }),
  routeCommand({
    ...decision,
    name: 'recommendations reopen',
    summary: 'Reopen an applied or dismissed recommendation',
    takes: { ...ofOne, note },
    ask: ({ id: recommendationID, note }) => ({ params: { recommendationID }, body: { status: 'open', note } }),
  }),
  routeCommand({
    name: 'recommendations refresh',
    summary: 'Re-evaluate all resources of an organization',
    takes: { org },
    route: 'POST /recommendations/refresh',
    show: (data: { refreshID: string }) => ({ data, text: `Refresh started: ${data.refreshID}` }),
  }),
  routeCommand({
    name: 'recommendations rules',
    summary: 'List recommendation rules',
    takes: {
      org,
      category,
      reach: optional('REACH', 'real, simulated or fed: where it can fire'),
      search: optional('TEXT', 'Text in the ID or the title'),
      limit: limit(),
    },
    route: 'GET /recommendations/rule-catalog',
    ask: ({ category, reach, search, limit }) => ({ query: { category, reach, search, limit } }),
    show: ({ items, counts }: ListPage<RuleView> & { counts: { total: number } }) => {
      const { data, text } = rules(items)
      return { data, text: `${text}\n${items.length} of ${counts.total} rules` }
    },
  }),
]
