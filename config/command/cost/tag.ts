import { carriedOut } from '#config/command/line/route.ts'
import { aboutOrg, requireValue, requireOrg, UsageError, type Command } from '#config/command/line/command.ts'
import { countOf, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'

const suggestionsUsage = 'tidemark tag suggestions --org ORG [--status STATUS] [--limit N]'
const smartUsage = 'tidemark tag smart --org ORG [--status STATUS] [--limit N]'

const text = { type: 'string' } as const
const org = { org: text } as const
const limitMax = 100

interface Suggestion {
  resourceUid: string
  predictedEnv: string
  predictedNoStop: boolean
  extraTags: Record<string, string>
  confidence: number
  reason: string
  acceptedAt: string | null
  rejectedAt: string | null
}

interface Entry {
  resourceUid: string
  accepted: Record<string, string>
  pending: Record<string, string>
}

const pairs = (tags: Record<string, string>): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

const suggestionHeader = ['RESOURCE', 'STATUS', 'CONFIDENCE', 'TAGS', 'REASON']

function suggestionRow({ resourceUid, confidence, reason, acceptedAt, rejectedAt, ...said }: Suggestion) {
  const status = acceptedAt ? 'accepted' : rejectedAt ? 'rejected' : 'pending'
  const { predictedEnv: env, predictedNoStop: noStop, extraTags } = said
  const tags = pairs({ ...(env && { env }), ...(noStop && { 'no-stop': 'true' }), ...extraTags })
  return [resourceUid, status, confidence, tags, reason]
}

const derivedRow = ({ resourceUid, accepted, pending }: Entry) => [resourceUid, pairs(accepted), pairs(pending)]

interface Listing<T> {
  name: string
  summary: string
  usage: string
  route: string
  statuses: readonly string[]
  header: readonly string[]
  rowOf: (one: T) => (string | number)[]
  none: string
}

/** The page that is asked for, of a route that has `items`. */
function listing<T>({ name, summary, usage, route, statuses, header, rowOf, none }: Listing<T>): Command {
  return {
    name,
    summary,
    usage,
    options: { ...org, status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${statuses.join(', ')}`,
      '--limit N': `Maximum number of rows, 1 to ${limitMax}; default 20`,
    },
    run: async ({ values }) => {
      const named = requireOrg({ usage }, values['org'])
      const { status } = values
      const limit = countOf(values['limit'] ?? '20', limitMax)
      if (limit === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
      if (status !== undefined && !statuses.some((known) => known === status))
        throw new UsageError(`--status must be one of ${statuses.join(', ')}`)
      const query = { size: String(limit), ...(typeof status === 'string' && { status }) }
      return withOrganization(named, async (instance, orgId) => {
        const { items: data } = await carriedOut<{ items: T[] }>(instance, orgId, route, { query })
        return { data, text: table(header, data.map(rowOf), none) }
      })
    },
  }
}

function decision(verb: 'accept' | 'reject', summary: string): Command {
  const usage = `tidemark tag ${verb} --org ORG --resource UID`
  return {
    name: `tag ${verb}`,
    summary,
    usage,
    options: { ...org, resource: text },
    about: { ...aboutOrg, '--resource UID': 'Resource UID from "tag suggestions"' },
    run: async ({ values }) => {
      const named = requireOrg({ usage }, values['org'])
      const resourceUid = requireValue({ usage }, values['resource'], '--resource')
      return withOrganization(named, async (instance, orgId) => {
        const body = { resourceUid }
        const data = await carriedOut<Suggestion>(instance, orgId, `POST /autotagging/${verb}`, { body })
        return { data, text: table(suggestionHeader, [suggestionRow(data)], '') }
      })
    },
  }
}

export const tagCommands: readonly Command[] = [
  listing<Suggestion>({
    name: 'tag suggestions',
    summary: 'List suggested tags, highest confidence first',
    usage: suggestionsUsage,
    route: 'GET /autotagging',
    statuses: ['pending', 'accepted', 'rejected'],
    header: suggestionHeader,
    rowOf: suggestionRow,
    none: 'No tag suggestions.',
  }),
  decision('accept', 'Accept the suggested tags of a resource, so that reports use them'),
  decision('reject', 'Reject the suggested tags of a resource'),
  listing<Entry>({
    name: 'tag smart',
    summary: 'List tags derived by policies, by resource name',
    usage: smartUsage,
    route: 'GET /smart-tags',
    statuses: ['pending', 'accepted'],
    header: ['RESOURCE', 'ACCEPTED', 'PENDING'],
    rowOf: derivedRow,
    none: 'No derived tags.',
  }),
]
