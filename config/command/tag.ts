import { carriedOut } from '#config/command/route.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { countOf } from '#config/command/engine.ts'
import { withInstance } from '#config/instance.ts'

const suggestionsUsage = 'tidemark tag suggestions --org ID [--status STATUS] [--limit N]'
const smartUsage = 'tidemark tag smart --org ID [--status STATUS] [--limit N]'

const text = { type: 'string' } as const
const org = { org: text } as const
const aboutOrg = { '--org ID': 'The organization' }
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

function suggestedLine({ resourceUid, confidence, reason, acceptedAt, rejectedAt, ...said }: Suggestion): string {
  const status = acceptedAt ? 'accepted' : rejectedAt ? 'rejected' : 'pending'
  const { predictedEnv: env, predictedNoStop: noStop, extraTags } = said
  const tags = pairs({ ...(env && { env }), ...(noStop && { 'no-stop': 'true' }), ...extraTags })
  return `${resourceUid}  ${status}  ${confidence}  ${tags}  ${reason}`
}

const derivedLine = ({ resourceUid, accepted, pending }: Entry): string =>
  [
    resourceUid,
    ...[['accepted', accepted] as const, ['pending', pending] as const].flatMap(([what, tags]) =>
      Object.keys(tags).length > 0 ? [`${what} ${pairs(tags)}`] : [],
    ),
  ].join('  ')

interface Listing<T> {
  name: string
  summary: string
  usage: string
  route: string
  statuses: readonly string[]
  lineOf: (one: T) => string
  none: string
}

/** The page that is asked for, of a route that has `items`. */
function listing<T>({ name, summary, usage, route, statuses, lineOf, none }: Listing<T>): Command {
  return {
    name,
    summary,
    usage,
    options: { ...org, status: text, limit: text },
    about: {
      ...aboutOrg,
      '--status STATUS': `One of ${statuses.join(', ')}`,
      '--limit N': `How many at most; default 20, most ${limitMax}`,
    },
    run: async ({ values }) => {
      const orgId = required({ usage }, values['org'], '--org')
      const { status } = values
      const limit = countOf(values['limit'] ?? '20', limitMax)
      if (limit === undefined) throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`)
      if (status !== undefined && !statuses.some((known) => known === status))
        throw new UsageError(`--status must be one of ${statuses.join(', ')}`)
      const query = { size: String(limit), ...(typeof status === 'string' && { status }) }
      return withInstance(async (instance) => {
        const { items: data } = await carriedOut<{ items: T[] }>(instance, orgId, route, { query })
        return { data, text: data.map(lineOf).join('\n') || none }
      })
    },
  }
}

function decision(verb: 'accept' | 'reject', summary: string): Command {
  const usage = `tidemark tag ${verb} --org ID --resource UID`
  return {
    name: `tag ${verb}`,
    summary,
    usage,
    options: { ...org, resource: text },
    about: { ...aboutOrg, '--resource UID': 'As tag suggestions shows it' },
    run: async ({ values }) => {
      const orgId = required({ usage }, values['org'], '--org')
      const resourceUid = required({ usage }, values['resource'], '--resource')
      return withInstance(async (instance) => {
        const body = { resourceUid }
        const data = await carriedOut<Suggestion>(instance, orgId, `POST /autotagging/${verb}`, { body })
        return { data, text: suggestedLine(data) }
      })
    },
  }
}

export const tagCommands: readonly Command[] = [
  listing<Suggestion>({
    name: 'tag suggestions',
    summary: 'List what is predicted of resources, the surest first',
    usage: suggestionsUsage,
    route: 'GET /autotagging',
    statuses: ['pending', 'accepted', 'rejected'],
    lineOf: suggestedLine,
    none: 'Nothing is suggested.',
  }),
  decision('accept', 'Accept what is predicted of a resource: it counts in reports'),
  decision('reject', 'Reject what is predicted of a resource'),
  listing<Entry>({
    name: 'tag smart',
    summary: 'List the tags that policies derive, by name of the resource',
    usage: smartUsage,
    route: 'GET /smart-tags',
    statuses: ['pending', 'accepted'],
    lineOf: derivedLine,
    none: 'Nothing is derived.',
  }),
]
