/** Search over everything with a name: each kind is found by its own list, as the caller sees it. */
import { setTimeout } from 'node:timers/promises'
import { t } from '#engine/value/schema.ts'
import { runInTurn } from '#http/edge/batch/turn.ts'
import { sameCaller, type InnerOptions, type Within } from '#http/edge/inner-request.ts'
import { list } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { kindNames, kindOf, type FoundItem, type KindName, type Row } from './kinds.ts'
import { bestOf } from './rank.ts'

/** Lists that are asked at a time. */
const atOnce = 4
/** A list that takes longer is reported as failed, milliseconds: the others are not kept waiting for it. */
const listMs = 3000

const Kind = t.Enum(kindNames)

const Found = t.Object(
  {
    items: t.Array(
      t.Object({
        kind: Kind,
        id: t.String({ description: 'the ID; of a resource its UID, of a tag its key' }),
        title: t.String(),
        detail: t.String({ description: 'what tells it from others of that name; may be empty' }),
      }),
      { description: 'by kind, in the order of the kinds; the best of each kind first' },
    ),
    forbidden: t.Array(Kind, { description: "kinds that the caller's role does not include" }),
    failed: t.Array(Kind, { description: 'kinds that could not be searched now, or not within 3 seconds' }),
  },
  {
    title: 'SearchResult',
    examples: [
      {
        items: [
          { kind: 'resource', id: 'i-0a1b2c3d', title: 'shop-web-1', detail: 'aws-ec2 · Production' },
          { kind: 'team', id: '0198a1b2-0000-7000-8000-000000000001', title: 'Shop', detail: '' },
        ],
        forbidden: ['person'],
        failed: [],
      },
    ],
  },
)

type Answer = { kind: KindName; items: FoundItem[] } | { kind: KindName; reason: 'forbidden' | 'failed' }

/** @param within sends requests to this edge as the caller */
export const searches = (within: Within): readonly Route[] => [
  route({
    method: 'GET',
    path: '/search',
    summary: 'Search resources, teams, budgets, recommendations and everything else with a name',
    description:
      "Each kind is searched by its own list, with the caller's permissions and report scope. Case-insensitive; exact names come first, then names that begin with the text. Tags and anomalies are those of the last 30 days, of each the 100 with the highest costs. Counts as one request.",
    permission: 'user',
    tags: ['Search'],
    query: t.Object({
      q: t.String({
        minLength: 2,
        maxLength: 200,
        pattern: '\\S',
        description: 'what to look for',
        examples: ['shop'],
      }),
      kinds: t.Optional(list(Kind, { description: 'only these kinds' })),
      limit: t.Integer({
        minimum: 1,
        default: 5,
        clamp: 20,
        description: 'items per kind; values above 20 are reduced to 20',
      }),
    }),
    reply: Found,
    handle: async ({ query: { q, kinds = [], limit }, client, headers }, { now }) => {
      const [words, today] = [q.trim(), now().toISOString().slice(0, 10)]
      const asked = kindNames.filter((name) => kinds.length === 0 || kinds.includes(name))
      const as = { ...sameCaller({ client, headers }), isCounted: true }
      const answers = new Map<KindName, Answer>()
      const find = (kind: KindName) => inTime(kind, answerOf(kind, { words, today, limit, within, as }))
      for await (const answer of runInTurn(asked, atOnce, find)) answers.set(answer.kind, answer)
      const inOrder = asked.map((kind) => answers.get(kind)!)
      const without = (reason: 'forbidden' | 'failed') =>
        inOrder.flatMap((one) => ('reason' in one && one.reason === reason ? [one.kind] : []))
      return {
        items: inOrder.flatMap((one) => ('items' in one ? one.items.map((item) => ({ kind: one.kind, ...item })) : [])),
        forbidden: without('forbidden'),
        failed: without('failed'),
      }
    },
  }),
]

async function inTime(kind: KindName, answer: Promise<Answer>): Promise<Answer> {
  const over = new AbortController()
  const late = setTimeout(listMs, { kind, reason: 'failed' } as const, over).catch(() => answer)
  try {
    return await Promise.race([answer, late])
  } finally {
    over.abort()
  }
}

interface Asking {
  words: string
  today: string
  limit: number
  within: Within
  as: InnerOptions
}

async function answerOf(kind: KindName, { words, today, limit, within, as }: Asking): Promise<Answer> {
  const { list: pathOf, show, isWhole = false } = kindOf(kind)
  const { status, text } = await within({ method: 'GET', url: pathOf(words, today) }, as)
  if (status !== 200) return { kind, reason: status === 403 ? 'forbidden' : 'failed' }
  return { kind, items: bestOf(rowsOf(text).map(show), words, limit, isWhole) }
}

function rowsOf(text: string): readonly Row[] {
  const { data } = JSON.parse(text) as { data: Row[] | { items: Row[] } }
  return Array.isArray(data) ? data : data.items
}
