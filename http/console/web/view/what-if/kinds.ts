/** The kinds of questions, and the fields of those that are asked by fields alone. */
import type { Field } from './draft.ts'

export const kinds = [
  {
    name: 'rule',
    title: 'A rule',
    text: 'A rule of recommendations with other figures, switched off or on, over what was known of resources day by day.',
  },
  {
    name: 'governance',
    title: 'Governance',
    text: 'Other environments, hours, tags, regions and sizes that you allow, by all rules that ask for them.',
  },
  { name: 'anomaly', title: 'Anomalies', text: 'The daily runs again with other thresholds.' },
  { name: 'budget', title: 'A budget', text: 'A budget of another amount or threshold, or a new one, day by day.' },
  { name: 'tagging', title: 'Tags', text: 'What a tag would be on each resource by another rule that derives it.' },
  {
    name: 'allocation',
    title: 'Teams',
    text: 'What each team would cost by another rule that says whose a resource is.',
  },
  {
    name: 'guardrail',
    title: 'Guardrail',
    text: 'What workflows asked whether they may, put once more to another guardrail.',
  },
] as const
export type KindName = (typeof kinds)[number]['name']

const number = (path: string, title: string, hint?: string): Field => ({
  path,
  title,
  as: 'number',
  ...(hint && { hint }),
})
const list = (path: string, title: string, hint = 'One a line.'): Field => ({ path, title, as: 'list', hint })
const text = (path: string, title: string, hint?: string): Field => ({ path, title, as: 'text', ...(hint && { hint }) })
const json = (path: string, title: string, hint: string): Field => ({ path, title, as: 'json', hint })

const severities = ['warning', 'critical', 'emergency']

export const anomalyFields: readonly Field[] = [
  ...severities.flatMap((severity) => [
    number(`thresholds/${severity}/percent`, `${severity}: per cent above the baseline`),
    number(`thresholds/${severity}/deviations`, `${severity}: standard deviations above the mean`),
  ]),
  number('baselineUSDMin', 'Dollars a day below which nothing is judged'),
  number('differencePercent', 'Per cent below which it is the same story as the one before'),
]

export const budgetFields: readonly Field[] = [
  number('monthlyBudgetUSD', 'US dollars a calendar month (UTC)', 'Left empty: as it is.'),
  number('alertThresholdPercent', 'Alert at, per cent of it', 'Left empty: as it is; 80 for a new one.'),
]

export const governanceFields: readonly Field[] = [
  list('spec/requiredTags', 'Tags that resources must have'),
  list('spec/allowedRegions', 'Regions that are allowed', 'One a line; none: all.'),
  list('spec/allowedInstanceTypes', 'Instance types that are allowed', 'One a line; none: all.'),
  list('spec/sizeFamilies', 'Families that sizes are taken from', 'One a line, such as m6i.'),
  list('spec/nonprodEnvs', 'Environments that are not production'),
  list('spec/envTagKeys', 'Keys of the tag that says the environment'),
  text('spec/timezone', 'Time zone of business hours', 'As Europe/Berlin.'),
  text('spec/optOutTag', 'Tag that keeps a resource out of findings of cost'),
  json(
    'spec/businessHours',
    'Business hours, as JSON',
    '{"days": [1, 2, 3, 4, 5], "from": "08:00", "to": "18:00"}; 1 is Monday.',
  ),
  json('spec/allowedTagValues', 'Values that tags may have, as JSON', '{"env": ["prod", "dev"]}'),
]

export const guardrailFields: readonly Field[] = [
  { path: 'spec/killSwitch', title: 'Kill switch: nothing is changed', as: 'flag' },
  number('spec/destructivePerHour', 'Changes in any 60 minutes', '20 unless given.'),
  number('spec/destructivePerDay', 'Changes in any 24 hours', '100 unless given.'),
  number('spec/concurrent', 'Workflows that change at a time', '5 unless given.'),
  number('spec/groupSharePercent', 'Per cent of a resource group in any 24 hours', '25 unless given.'),
  number('spec/monthlyCostTouchedUsd', 'Dollars of 30 days that changes in any 30 days may touch', 'Left empty: any.'),
  list(
    'spec/protectedTags',
    'Keys of tags that protect',
    'One a line; tidemark-protect and do-not-delete unless given.',
  ),
  list('spec/protectedEnvs', 'Environments where two have to approve', 'One a line: prod, staging or dev.'),
  text('spec/frozenUntil', 'Frozen until', 'A moment, as 2026-01-02T00:00:00Z.'),
  json(
    'spec/windows',
    'When changes may be made, as JSON',
    '[{"days": [1, 2, 3, 4], "from": "20:00", "to": "05:00", "timezone": "Europe/Berlin"}]',
  ),
]

export const taggingFields: readonly Field[] = [
  text('spec/tag/key', 'Key of the tag'),
  list(
    'spec/tag/value/fields',
    'Its value is made of',
    'One a line: res.type, res.region, res.provider, res.instance_type, res.name, res.resource_group.',
  ),
  text('spec/tag/value/join', 'Joined by', 'Such as -.'),
  { path: 'spec/tag/value/standardize', title: 'In lower case', as: 'flag' },
  json(
    'spec/selector',
    'For which resources, as JSON',
    'Left empty: all. {"all": [{"attr": "res.provider", "op": "in", "values": ["aws"]}]}',
  ),
]

export const selectorField = json(
  'selector',
  'For which resources, as JSON',
  'Left empty: all. {"all": [{"attr": "res.tags.env", "op": "in", "values": ["dev"]}]}',
)
