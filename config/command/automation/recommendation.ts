import { carriedOut } from '#config/command/line/route.ts'
import {
  aboutOrg,
  requireValue,
  requireOrg,
  UsageError,
  type Command,
  type Invocation,
  type Result,
} from '#config/command/line/command.ts'
import { countOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'
import { categories, recommendationStatuses } from '#streams/recommendation.ts'

const text = { type: 'string' } as const
const org = { org: text } as const
const aboutOne = { ...aboutOrg, '--id ID': 'Recommendation ID from "recommendations list"' }
const limitMax = 100

interface Recommendation {
  id: string
  title: string
  status: string
  severity: string
  savingsUsd: number
}

interface Detail extends Recommendation {
  description: string
  currentCostUsd: number
  evidence: Record<string, unknown>
  remediationSteps: { order: number; text: string }[]
}

interface Rule {
  ruleId: string
  category: string
  title: string
  overridden: boolean
}

const lineOf = ({ id, status, severity, savingsUsd, title }: Recommendation): string =>
  `${id}  ${status}  ${severity}  ${savingsUsd.toFixed(2)} USD  ${title}`

const paragraphs = ({ evidence, ...one }: Detail): string =>
  [
    lineOf(one),
    one.description,
    `Current cost: ${one.currentCostUsd.toFixed(2)} USD per 30 days.`,
    ...one.remediationSteps.map((step) => `${step.order}. ${step.text}`),
    ...Object.keys(evidence)
      .toSorted()
      .map((name) => `${name}: ${JSON.stringify(evidence[name])}`),
  ].join('\n')

const header = ['ID', 'STATUS', 'SEVERITY', 'SAVINGS USD', 'TITLE']

const rowOf = ({ id, status, severity, savingsUsd, title }: Recommendation) => [
  id,
  status,
  severity,
  savingsUsd.toFixed(2),
  title,
]

const ruleHeader = ['RULE', 'CATEGORY', 'CHANGED BY POLICY', 'TITLE']

const ruleRow = ({ ruleId, category, title, overridden }: Rule) => [ruleId, category, overridden ? 'yes' : 'no', title]

interface CommandSpec {
  name: string
  summary: string
  usage: string
  options?: Command['options']
  about?: Command['about']
  /** What it comes to; `orgId` is that of `--org`. */
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
  /** Looks at what was typed before anything is opened. @throws UsageError */
  check?: (values: Invocation['values']) => void
}

const command = ({ name, summary, usage, options = {}, about = {}, ask, check }: CommandSpec): Command => ({
  name: `recommendations ${name}`,
  summary,
  usage: `tidemark recommendations ${name} ${usage}`,
  options: { ...org, ...options },
  about: { ...aboutOrg, ...about },
  async run({ values }) {
    const of = { usage: `tidemark recommendations ${name} ${usage}` }
    const named = requireOrg(of, values['org'])
    if ('id' in options) requireValue(of, values['id'], '--id')
    check?.(values)
    return withOrganization(named, (instance, orgId) => ask(instance, orgId, values))
  },
})

/** What was typed of these options, as a query. */
const pickOptions = (values: Invocation['values'], ...names: string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof values[name] === 'string' ? [[name, values[name]] as const] : [])))

const checkWord = (values: Invocation['values'], name: string, words: readonly string[]): void => {
  const word = values[name]
  if (word !== undefined && !words.includes(String(word)))
    throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
}

function sizeOf({ limit = '20' }: Invocation['values']): string {
  const count = countOf(limit, limitMax)
  if (count === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
  return String(count)
}

const aboutLimit = { '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20` }

/** Changes one by the route that people decide by. */
const decision = (name: string, status: 'applied' | 'dismissed' | 'open', summary: string): Command => {
  const isDismissed = status === 'dismissed'
  const isApplied = status === 'applied'
  return command({
    name,
    summary,
    usage: `--org ORG --id ID${isDismissed ? ' [--until TIME]' : ''}${isApplied ? ' [--since TIME]' : ''} [--note TEXT]`,
    options: { id: text, note: text, ...(isDismissed && { until: text }), ...(isApplied && { since: text }) },
    about: {
      ...aboutOne,
      ...(isDismissed && {
        '--until TIME': 'Reopen at this time if it still applies, for example 2027-03-01T00:00:00Z',
      }),
      ...(isApplied && { '--since TIME': 'When it was applied, if not now, for example 2027-03-01T00:00:00Z' }),
      '--note TEXT': 'Reason, kept in the history',
    },
    ask: async (instance, orgId, values) => {
      const { note, since, until } = pickOptions(values, 'note', 'since', 'until')
      const body = {
        status,
        ...(since !== undefined && { appliedAt: since }),
        ...(until !== undefined && { snoozeUntil: until }),
        ...(note !== undefined && { note }),
      }
      const params = { recommendationID: String(values['id']) }
      const path = 'PATCH /recommendations/:recommendationID'
      const data = await carriedOut<Recommendation>(instance, orgId, path, { params, body })
      return { data, text: lineOf(data) }
    },
  })
}

export const recommendationCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List recommendations, largest savings first',
    usage: '--org ORG [--status STATUS] [--category CATEGORY] [--search TEXT] [--limit N]',
    options: { status: text, category: text, search: text, limit: text },
    about: {
      '--status STATUS': `One of ${recommendationStatuses.join(', ')}; default: all`,
      '--category CATEGORY': `One of ${categories.join(', ')}`,
      '--search TEXT': 'Text in the resource name or the title',
      ...aboutLimit,
    },
    check: (values) => {
      checkWord(values, 'status', recommendationStatuses)
      checkWord(values, 'category', categories)
      sizeOf(values)
    },
    ask: async (instance, orgId, values) => {
      const query = { ...pickOptions(values, 'status', 'category', 'search'), limit: sizeOf(values) }
      const { items: data } = await carriedOut<{ items: Recommendation[] }>(instance, orgId, 'GET /recommendations', {
        query,
      })
      return { data, text: table(header, data.map(rowOf), 'No recommendations.') }
    },
  }),
  command({
    name: 'show',
    summary: 'Show the evidence and remediation steps of a recommendation',
    usage: '--org ORG --id ID',
    options: { id: text },
    about: aboutOne,
    ask: async (instance, orgId, { id }) => {
      const params = { recID: String(id) }
      const data = await carriedOut<Detail>(instance, orgId, 'GET /recommendations/:recID/detail', { params })
      return { data, text: paragraphs(data) }
    },
  }),
  decision('dismiss', 'dismissed', 'Dismiss a recommendation, permanently or until a time'),
  decision('apply', 'applied', 'Mark a recommendation as applied'),
  decision('reopen', 'open', 'Reopen an applied or dismissed recommendation'),
  command({
    name: 'refresh',
    summary: 'Re-evaluate all resources of an organization',
    usage: '--org ORG',
    ask: async (instance, orgId) => {
      const data = await carriedOut<{ refreshID: string }>(instance, orgId, 'POST /recommendations/refresh')
      return { data, text: `Refresh started: ${data.refreshID}` }
    },
  }),
  command({
    name: 'rules',
    summary: 'List recommendation rules',
    usage: '--org ORG [--category CATEGORY] [--search TEXT] [--limit N]',
    options: { category: text, search: text, limit: text },
    about: {
      '--category CATEGORY': `One of ${categories.join(', ')}`,
      '--search TEXT': 'Text in the ID or the title',
      ...aboutLimit,
    },
    check: (values) => {
      checkWord(values, 'category', categories)
      sizeOf(values)
    },
    ask: async (instance, orgId, values) => {
      const query = { ...pickOptions(values, 'category', 'search'), limit: sizeOf(values) }
      const path = 'GET /recommendations/rule-catalog'
      const data = await carriedOut<{ items: Rule[]; counts: { total: number } }>(instance, orgId, path, { query })
      const rules = table(ruleHeader, data.items.map(ruleRow), 'No rules.')
      return { data: data.items, text: `${rules}\n${data.items.length} of ${data.counts.total} rules` }
    },
  }),
]
