import { routeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { choice, limit, requiredText, org } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { SmartTagEntry } from '#http/tagging/smart-tag.ts'
import type { SuggestionView } from '#http/tagging/suggestion.ts'

const pairs = (tags: Record<string, string>): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

const suggestions = listOf<SuggestionView>(
  {
    RESOURCE: 'resourceUid',
    STATUS: ({ acceptedAt, rejectedAt }) => (acceptedAt ? 'accepted' : rejectedAt ? 'rejected' : 'pending'),
    CONFIDENCE: 'confidence',
    TAGS: ({ predictedEnv: env, predictedNoStop, extraTags }) =>
      pairs({ ...(env && { env }), ...(predictedNoStop && { 'no-stop': 'true' }), ...extraTags }),
    REASON: 'reason',
  },
  'No tag suggestions.',
)

const smartTags = listOf<SmartTagEntry>(
  {
    RESOURCE: 'resourceUid',
    ACCEPTED: ({ accepted }) => pairs(accepted),
    PENDING: ({ pending }) => pairs(pending),
  },
  'No derived tags.',
)

const decision = (verb: 'accept' | 'reject', summary: string): Command =>
  routeCommand({
    name: `tag ${verb}`,
    summary,
    takes: { org, resource: requiredText('UID', 'Resource UID from "tag suggestions"') },
    route: `POST /autotagging/${verb}`,
    ask: ({ resource: resourceUid }) => ({ body: { resourceUid } }),
    show: (data: SuggestionView) => ({ data, text: suggestions([data]).text }),
  })

export const tagCommands: readonly Command[] = [
  routeCommand({
    name: 'tag suggestions',
    summary: 'List suggested tags, highest confidence first',
    takes: { org, status: choice('STATUS', ['pending', 'accepted', 'rejected']), limit: limit() },
    route: 'GET /autotagging',
    ask: ({ status, limit: size }) => ({ query: { status, size } }),
    show: ({ items }: ListPage<SuggestionView>) => suggestions(items),
  }),
  decision('accept', 'Accept the suggested tags of a resource, so that reports use them'),
  decision('reject', 'Reject the suggested tags of a resource'),
  routeCommand({
    name: 'tag smart',
    summary: 'List tags derived by policies, by resource name',
    takes: { org, status: choice('STATUS', ['pending', 'accepted']), limit: limit() },
    route: 'GET /smart-tags',
    ask: ({ status, limit: size }) => ({ query: { status, size } }),
    show: ({ items }: ListPage<SmartTagEntry>) => smartTags(items),
  }),
]
