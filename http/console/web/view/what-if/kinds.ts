/** The kinds of questions, and the fields of those that are asked by fields alone. */
import type { Field } from './draft.ts'

export const kinds = [
  {
    name: 'rule',
    title: 'Recommendation rule',
    text: 'Replay a recommendation rule with other parameters, enabled or disabled, over the daily history of resources.',
  },
  {
    name: 'governance',
    title: 'Governance',
    text: 'Replay all governance rules with other allowed environments, hours, tags, regions and sizes.',
  },
  { name: 'anomaly', title: 'Anomalies', text: 'Replay the daily anomaly detection with other thresholds.' },
  {
    name: 'budget',
    title: 'Budget',
    text: 'Replay a budget day by day with another amount or threshold, or a new budget.',
  },
  { name: 'tagging', title: 'Tags', text: 'Show which tag each resource would get from another tagging policy.' },
  {
    name: 'allocation',
    title: 'Teams',
    text: 'Show what each team would cost under another allocation rule.',
  },
  {
    name: 'guardrail',
    title: 'Guardrail',
    text: 'Evaluate past workflow requests again with another guardrail.',
  },
] as const
export type KindName = (typeof kinds)[number]['name']

const number = (path: string, title: string, hint?: string): Field => ({
  path,
  title,
  as: 'number',
  ...(hint && { hint }),
})
const list = (path: string, title: string, hint = 'One per line.'): Field => ({ path, title, as: 'list', hint })
const text = (path: string, title: string, hint?: string): Field => ({ path, title, as: 'text', ...(hint && { hint }) })
const json = (path: string, title: string, hint: string): Field => ({ path, title, as: 'json', hint })

const severities = ['warning', 'critical', 'emergency']

export const anomalyFields: readonly Field[] = [
  ...severities.flatMap((severity) => [
    number(`thresholds/${severity}/percent`, `${severity}: percent above the baseline`),
    number(`thresholds/${severity}/deviations`, `${severity}: standard deviations above the mean`),
  ]),
  number('baselineUSDMin', 'Minimum daily cost to evaluate (USD)'),
  number('differencePercent', 'Maximum difference to count as the same anomaly, percent'),
]

export const budgetFields: readonly Field[] = [
  number('monthlyBudgetUSD', 'Monthly budget (USD)', 'Calendar month in UTC. Leave empty to keep the current value.'),
  number(
    'alertThresholdPercent',
    'Alert at (% of budget)',
    'Leave empty to keep the current value; 80 for a new budget.',
  ),
]

export const governanceFields: readonly Field[] = [
  list('spec/requiredTags', 'Required tags'),
  list('spec/allowedRegions', 'Allowed regions', 'One per line; leave empty for all.'),
  list('spec/allowedInstanceTypes', 'Allowed instance types', 'One per line; leave empty for all.'),
  list('spec/sizeFamilies', 'Allowed instance families', 'One per line, such as m6i.'),
  list('spec/nonprodEnvs', 'Non-production environments'),
  list('spec/envTagKeys', 'Environment tag keys'),
  text('spec/timezone', 'Time zone of business hours', 'For example Europe/Berlin.'),
  text('spec/optOutTag', 'Opt-out tag for cost recommendations'),
  json(
    'spec/businessHours',
    'Business hours, as JSON',
    '{"days": [1, 2, 3, 4, 5], "from": "08:00", "to": "18:00"}; 1 is Monday.',
  ),
  json('spec/allowedTagValues', 'Allowed tag values, as JSON', '{"env": ["prod", "dev"]}'),
]

export const guardrailFields: readonly Field[] = [
  { path: 'spec/killSwitch', title: 'Kill switch: block all changes', as: 'flag' },
  number('spec/destructivePerHour', 'Maximum changes per 60 minutes', '20 by default.'),
  number('spec/destructivePerDay', 'Maximum changes per 24 hours', '100 by default.'),
  number('spec/concurrent', 'Concurrent workflows making changes', '5 by default.'),
  number('spec/groupSharePercent', 'Maximum percent of a resource group per 24 hours', '25 by default.'),
  number(
    'spec/monthlyCostTouchedUsd',
    'Maximum 30-day cost affected by changes per 30 days (USD)',
    'Leave empty for no limit.',
  ),
  list('spec/protectedTags', 'Protective tag keys', 'One per line; tidemark-protect and do-not-delete by default.'),
  list('spec/protectedEnvs', 'Environments that require two approvals', 'One per line: prod, staging or dev.'),
  text('spec/frozenUntil', 'Frozen until', 'A time such as 2026-01-02T00:00:00Z.'),
  json(
    'spec/windows',
    'Change windows, as JSON',
    '[{"days": [1, 2, 3, 4], "from": "20:00", "to": "05:00", "timezone": "Europe/Berlin"}]',
  ),
]

export const taggingFields: readonly Field[] = [
  text('spec/tag/key', 'Tag key'),
  list(
    'spec/tag/value/fields',
    'Value fields',
    'One per line: res.type, res.region, res.provider, res.instance_type, res.name, res.resource_group.',
  ),
  text('spec/tag/value/join', 'Separator', 'Such as -.'),
  { path: 'spec/tag/value/standardize', title: 'Lower-case the value', as: 'flag' },
  json(
    'spec/selector',
    'Resource selector, as JSON',
    'Leave empty for all. {"all": [{"attr": "res.provider", "op": "in", "values": ["aws"]}]}',
  ),
]

export const selectorField = json(
  'selector',
  'Resource selector, as JSON',
  'Leave empty for all. {"all": [{"attr": "res.tags.env", "op": "in", "values": ["dev"]}]}',
)
