import { carriedOut } from '#config/command/route.ts'
import { required, UsageError, type Command, type Invocation, type Result } from '#config/command/command.ts'
import { countOf } from '#config/command/engine.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { categories, recommendationStatuses } from '#streams/recommendation.ts'

const text = { type: 'string' } as const
const org = { org: text } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutOne = { ...aboutOrg, '--id ID': 'As recommendations list shows it' }
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
    `Costs ${one.currentCostUsd.toFixed(2)} USD in 30 days.`,
    ...one.remediationSteps.map((step) => `${step.order}. ${step.text}`),
    ...Object.keys(evidence)
      .toSorted()
      .map((name) => `${name}: ${JSON.stringify(evidence[name])}`),
  ].join('\n')

const ruleLine = ({ ruleId, category, title, overridden }: Rule): string =>
  `${ruleId}  ${category}  ${title}${overridden ? '  (a policy changes it)' : ''}`

interface Asking {
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

const command = ({ name, summary, usage, options = {}, about = {}, ask, check }: Asking): Command => ({
  name: `recommendations ${name}`,
  summary,
  usage: `tidemark recommendations ${name} ${usage}`,
  options: { ...org, ...options },
  about: { ...aboutOrg, ...about },
  async run({ values }) {
    const of = { usage: `tidemark recommendations ${name} ${usage}` }
    const orgId = required(of, values['org'], '--org')
    if ('id' in options) required(of, values['id'], '--id')
    check?.(values)
    return withInstance((instance) => ask(instance, orgId, values))
  },
})

/** What was typed of these options, as a query. */
const given = (values: Invocation['values'], ...names: string[]): Record<string, string> =>
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

const aboutLimit = { '--limit N': `How many at most; default 20, most ${limitMax}` }

/** Changes one by the route that people decide by. */
const decision = (name: string, status: 'applied' | 'dismissed' | 'open', summary: string): Command => {
  const isDismissed = status === 'dismissed'
  const isApplied = status === 'applied'
  return command({
    name,
    summary,
    usage: `--org ID --id ID${isDismissed ? ' [--until TIME]' : ''}${isApplied ? ' [--since TIME]' : ''} [--note TEXT]`,
    options: { id: text, note: text, ...(isDismissed && { until: text }), ...(isApplied && { since: text }) },
    about: {
      ...aboutOne,
      ...(isDismissed && { '--until TIME': 'When it comes back if it still holds: 2027-03-01T00:00:00Z' }),
      ...(isApplied && { '--since TIME': 'Since when it is, where that is said late: 2027-03-01T00:00:00Z' }),
      '--note TEXT': 'Why; kept in its history',
    },
    ask: async (instance, orgId, values) => {
      const { note, since, until } = given(values, 'note', 'since', 'until')
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
    summary: 'List what could be saved or put right, the largest savings first',
    usage: '--org ID [--status STATUS] [--category CATEGORY] [--search TEXT] [--limit N]',
    options: { status: text, category: text, search: text, limit: text },
    about: {
      '--status STATUS': `One of ${recommendationStatuses.join(', ')}; all unless given`,
      '--category CATEGORY': `One of ${categories.join(', ')}`,
      '--search TEXT': 'Part of the name of the resource or of the title',
      ...aboutLimit,
    },
    check: (values) => {
      checkWord(values, 'status', recommendationStatuses)
      checkWord(values, 'category', categories)
      sizeOf(values)
    },
    ask: async (instance, orgId, values) => {
      const query = { ...given(values, 'status', 'category', 'search'), limit: sizeOf(values) }
      const { items: data } = await carriedOut<{ items: Recommendation[] }>(instance, orgId, 'GET /recommendations', {
        query,
      })
      return { data, text: data.map(lineOf).join('\n') || 'There is no recommendation.' }
    },
  }),
  command({
    name: 'show',
    summary: 'Say what a recommendation is made of, and what to do',
    usage: '--org ID --id ID',
    options: { id: text },
    about: aboutOne,
    ask: async (instance, orgId, { id }) => {
      const params = { recID: String(id) }
      const data = await carriedOut<Detail>(instance, orgId, 'GET /recommendations/:recID/detail', { params })
      return { data, text: paragraphs(data) }
    },
  }),
  decision('dismiss', 'dismissed', 'Dismiss a recommendation, for good or until a time'),
  decision('apply', 'applied', 'Say that a recommendation was applied'),
  decision('reopen', 'open', 'Open a recommendation again that was applied or dismissed'),
  command({
    name: 'refresh',
    summary: 'Look at every resource of an organization anew',
    usage: '--org ID',
    ask: async (instance, orgId) => {
      const data = await carriedOut<{ refreshID: string }>(instance, orgId, 'POST /recommendations/refresh')
      return { data, text: `It has begun: ${data.refreshID}` }
    },
  }),
  command({
    name: 'rules',
    summary: 'List the rules that resources are judged by',
    usage: '--org ID [--category CATEGORY] [--search TEXT] [--limit N]',
    options: { category: text, search: text, limit: text },
    about: {
      '--category CATEGORY': `One of ${categories.join(', ')}`,
      '--search TEXT': 'Part of the id or the title',
      ...aboutLimit,
    },
    check: (values) => {
      checkWord(values, 'category', categories)
      sizeOf(values)
    },
    ask: async (instance, orgId, values) => {
      const query = { ...given(values, 'category', 'search'), limit: sizeOf(values) }
      const path = 'GET /recommendations/rule-catalog'
      const data = await carriedOut<{ items: Rule[]; counts: { total: number } }>(instance, orgId, path, { query })
      return { data, text: [...data.items.map(ruleLine), `${data.counts.total} rules in all`].join('\n') }
    },
  }),
]
