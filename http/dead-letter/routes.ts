/** Messages of an organization that could not be processed, with reasons, and replaying them. */
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { DeadLetter } from '#http/dead-letter/entity.ts'
import { letterId, letterName, letterPurpose } from '#http/dead-letter/name.ts'

/** Maximum dead letters in one replay. */
const replayMax = 1000
/** Maximum characters of a body: by itself, and in a list. */
const bodyMax = 100_000
const previewMax = 300

const deadLetterExample = {
  id: 'q3JtV2k8bXo1c0w5ZHNfR2xhYjRkZWY',
  at: '2026-01-15T10:00:00.000Z',
  subject: 'ingest.billing.9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01.acct-1',
  type: 'billing.line',
  messageID: 'line-000042',
  code: 'validation_failed',
  reason: '/cost: must be a decimal number',
  actor: null,
  attempts: 1,
  bytes: 612,
  preview: '{"type":"billing.line"}',
  replayable: true,
  replayedAt: null,
}

const DeadLetterView = t.Object(
  {
    id: t.String(),
    at: Timestamp,
    subject: t.String({ description: 'the subject it was published on' }),
    type: t.String({ description: 'from its envelope; empty if the envelope could not be read' }),
    messageID: t.String(),
    code: t.String({ description: 'why it was dead-lettered; see the documentation for producers' }),
    reason: t.String(),
    actor: orNull(t.String({ description: 'the kind of actor that rejected it' })),
    attempts: t.Integer(),
    bytes: t.Integer(),
    preview: t.String({ description: `the first ${previewMax} characters of its body as text` }),
    replayable: t.Boolean({ description: 'false for internal messages of the service' }),
    replayedAt: orNull(Timestamp),
  },
  {
    title: 'DeadLetter',
    examples: [deadLetterExample],
  },
)

type NameServices = Pick<Services, 'identity'>

const nameOf = ({ id }: DeadLetter, { identity }: NameServices): string =>
  letterName(id, identity.secretFor(letterPurpose))

const toDeadLetterView = (letter: DeadLetter, named: NameServices): Static<typeof DeadLetterView> => ({
  id: nameOf(letter, named),
  at: letter.at.toISOString(),
  subject: letter.subject,
  type: letter.type,
  messageID: letter.messageId,
  code: letter.code,
  reason: letter.reason,
  actor: letter.actor || null,
  attempts: letter.attempts,
  bytes: letter.body.length,
  preview: textOf(letter.body, previewMax),
  replayable: isProduced(letter),
  replayedAt: letter.replayedAt?.toISOString() ?? null,
})

/** The bytes may be invalid text, and very many: a character has at most four. */
const textOf = (body: Uint8Array, max: number): string =>
  Buffer.from(body.subarray(0, 4 * max))
    .toString('utf8')
    .slice(0, max)
    .toWellFormed()

/** Messages between actors can only be replayed by operators: their effect may be long obsolete. */
const isProduced = ({ subject }: Pick<DeadLetter, 'subject'>): boolean => !subject.startsWith('ingest.actor.')

const filters = {
  code: t.Optional(list(t.String({ maxLength: 128 }), { examples: [['validation_failed']] })),
  type: t.Optional(list(t.String({ maxLength: 128 }), { examples: [['billing.line']] })),
}

interface Filters {
  code?: readonly string[] | undefined
  type?: readonly string[] | undefined
}

const whereOf = ({ code, type }: Filters) => ({
  ...(code?.length && { code: { $in: [...code] } }),
  ...(type?.length && { type: { $in: [...type] } }),
})

async function getDeadLetter({ em, identity }: Services, orgId: string, name: string): Promise<DeadLetter> {
  const id = letterId(name, identity.secretsFor(letterPurpose))
  const letter = id === undefined ? null : await em.findOne(DeadLetter, { orgId, id })
  if (!letter) throw Fault.missing('dead letter', name)
  return letter
}

/**
 * Published first: a crash in between publishes it twice, which is harmless because every message is recognized by its
 * content.
 */
async function replay({ em, publish, now }: Services, letters: readonly DeadLetter[]): Promise<void> {
  for (const letter of letters) {
    await publish(letter.subject, letter.body)
    await em.nativeUpdate(DeadLetter, { orgId: letter.orgId, id: letter.id }, { replayedAt: now() })
  }
}

const countSql = `
  select code, type, count(*)::int as n, count(*) filter (where replayed_at is null)::int as waiting, max(at) as newest
  from dead_letter where org_id = ? group by code, type order by n desc, code, type limit 200`

const ReplayReply = t.Object(
  { replayed: t.Integer(), ids: t.Array(t.String()) },
  { title: 'Replayed', examples: [{ replayed: 1, ids: ['q3JtV2k8bXo1c0w5ZHNfR2xhYjRkZWY'] }] },
)

export const deadLetters: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dead-letters',
    summary: 'List dead letters of your producers with their reasons, newest first',
    description: 'Kept for 30 days and up to 1 GiB; the operator may change this.',
    permission: 'admin',
    tags: ['Streams'],
    query: t.Object({
      ...filters,
      replayed: t.Optional(
        t.Boolean({ description: 'true: only replayed dead letters; false: only those not replayed' }),
      ),
      ...paging(50, 200),
    }),
    reply: pageOf(DeadLetterView),
    handle: async ({ caller: { orgId }, query }, { em, identity }) => {
      const { replayed } = query
      const sent = replayed === undefined ? {} : { replayedAt: replayed ? { $ne: null } : null }
      const [rows, total] = await em.findAndCount(
        DeadLetter,
        { orgId, ...whereOf(query), ...sent },
        { orderBy: { at: 'desc', id: 'asc' }, ...slice(query) },
      )
      return toPage({ items: rows.map((row) => toDeadLetterView(row, { identity })), total }, query)
    },
  }),
  route({
    method: 'GET',
    path: '/dead-letters/counts',
    summary: 'Count dead letters by code and type, most frequent first',
    description:
      'Counts the dead letters of the organization, including replayed ones; waiting counts those not replayed yet. Owners and admins only.',
    permission: 'admin',
    tags: ['Streams'],
    reply: t.Array(
      t.Object(
        {
          code: t.String(),
          type: t.String(),
          count: t.Integer(),
          waiting: t.Integer({ description: 'of these, not replayed yet' }),
          newestAt: Timestamp,
        },
        {
          title: 'DeadLetterCount',
          examples: [
            {
              code: 'validation_failed',
              type: 'billing.line',
              count: 12,
              waiting: 3,
              newestAt: '2026-01-15T10:00:00.000Z',
            },
          ],
        },
      ),
    ),
    handle: async ({ caller: { orgId } }, { em }) => {
      const rows = await em.execute<{ code: string; type: string; n: number; waiting: number; newest: Date }[]>(
        countSql,
        [orgId],
      )
      return rows.map(({ code, type, n, waiting, newest }) => ({
        code,
        type,
        count: n,
        waiting,
        newestAt: new Date(newest).toISOString(),
      }))
    },
  }),
  route({
    method: 'GET',
    path: '/dead-letters/:deadLetterID',
    summary: 'Get a dead letter with its body',
    description:
      'Includes its headers and the reason it was rejected. Long bodies are truncated. Owners and admins only.',
    permission: 'admin',
    tags: ['Streams'],
    params: t.Object({ deadLetterID: t.String({ examples: ['q3JtV2k8bXo1c0w5ZHNfR2xhYjRkZWY'] }) }),
    reply: t.Object(
      {
        ...DeadLetterView.properties,
        headers: t.Record(t.String(), t.String()),
        body: t.String({ description: `the first ${bodyMax} characters as text` }),
      },
      {
        title: 'DeadLetterWithBody',
        examples: [
          {
            ...deadLetterExample,
            headers: { 'Nats-Msg-Id': 'line-000042' },
            body: '{"type":"billing.line"}',
          },
        ],
      },
    ),
    handle: async ({ caller: { orgId }, params }, services) => {
      const letter = await getDeadLetter(services, orgId, params.deadLetterID)
      return { ...toDeadLetterView(letter, services), headers: letter.headers, body: textOf(letter.body, bodyMax) }
    },
  }),
  route({
    method: 'POST',
    path: '/dead-letters/:deadLetterID/replay',
    summary: 'Replay a dead letter unchanged',
    description:
      'Publishes the message again; it may be dead-lettered again for the same reason. Returns 422 for messages that were not sent by a producer. Owners and admins only.',
    permission: 'admin',
    tags: ['Streams'],
    params: t.Object({ deadLetterID: t.String({ examples: ['q3JtV2k8bXo1c0w5ZHNfR2xhYjRkZWY'] }) }),
    reply: ReplayReply,
    refuses: { 422: ['not_replayable'] },
    handle: async ({ caller: { orgId }, params }, services) => {
      const letter = await getDeadLetter(services, orgId, params.deadLetterID)
      if (!isProduced(letter))
        throw Fault.refused('not_replayable', 'This is an internal message of the service and cannot be replayed.')
      await replay(services, [letter])
      return { replayed: 1, ids: [nameOf(letter, services)] }
    },
  }),
  route({
    method: 'POST',
    path: '/dead-letters/replay',
    summary: `Replay dead letters, oldest first, at most ${replayMax}`,
    description:
      'Replays dead letters of your producers that have not been replayed yet. Call again for the next batch.',
    permission: 'admin',
    tags: ['Streams'],
    body: t.Object(
      {
        code: t.Optional(t.Array(t.String({ maxLength: 128 }), { maxItems: 100 })),
        type: t.Optional(t.Array(t.String({ maxLength: 128 }), { maxItems: 100 })),
      },
      { examples: [{ code: ['quota_exceeded'] }] },
    ),
    reply: ReplayReply,
    handle: async ({ caller: { orgId }, body }, services) => {
      const letters = await services.em.find(
        DeadLetter,
        { orgId, ...whereOf(body), replayedAt: null, $not: { subject: { $like: 'ingest.actor.%' } } },
        { orderBy: { at: 'asc', id: 'asc' }, limit: replayMax },
      )
      await replay(services, letters)
      return { replayed: letters.length, ids: letters.map((letter) => nameOf(letter, services)) }
    },
  }),
]
